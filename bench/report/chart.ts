import { init, type EChartsOption } from 'echarts';
import type { FigureResult, GroupResult } from '../results.ts';
import { verdictsOf, type Outcome, type Verdict } from '../targets.ts';
import { formatRatio } from './format.ts';

const WIDTH = 960;
/** For the names of the bars, which echarts cannot measure without a browser. */
const NAMES_WIDTH = 400;
const MET = '#3a7d44';
const MISSED = '#c8553d';
/** What is far beyond its target would press all the others against the axis; its label tells the rest. */
const MAX_PERCENT = 400;

/** Names that are counted on from chart to chart, counted from the start in each. */
const renumbered = (svg: string): string => {
  const names = new Map<string, string>();
  return svg.replaceAll(/zr\d+-\w+-?\d+/g, (name) => {
    const known = names.get(name) ?? `n${names.size}`;
    names.set(name, known);
    return known;
  });
};

/** An SVG of a chart; the same text for the same chart. */
const render = (height: number, option: EChartsOption): string => {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption({ animation: false, backgroundColor: '#ffffff', ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return renumbered(svg);
};

/** How much of what it must be a value is, in percent: from 100 on the target is met. */
const percentOfMust = (value: number, { bound }: Outcome): number =>
  100 * ('atLeast' in bound ? value / bound.atLeast : bound.atMost / value);

const aimInPercent = ({ must, aim }: Verdict): number | null => {
  if (!must || !aim) return null;
  const wanted = 'atLeast' in aim.bound ? aim.bound.atLeast : aim.bound.atMost;
  return Math.min(MAX_PERCENT, percentOfMust(wanted, must));
};

/** Bars: how much of each target was reached. Undefined where there are no targets. */
export const targetChart = (title: string, { figures }: GroupResult): string | undefined => {
  const measured = figures
    .flatMap(verdictsOf)
    .flatMap((verdict) =>
      verdict.must && verdict.value ? [{ verdict, must: verdict.must, value: verdict.value.median }] : [],
    );
  if (measured.length === 0) return undefined;
  return render(92 + measured.length * 44, {
    title: { text: `${title}: percent of what it must be`, left: 10, top: 8, textStyle: { fontSize: 15 } },
    grid: { left: NAMES_WIDTH, right: 60, top: 62, bottom: 30 },
    xAxis: { type: 'value', min: 0, max: MAX_PERCENT, axisLabel: { formatter: '{value} %' } },
    yAxis: {
      type: 'category',
      inverse: true,
      data: measured.map(({ verdict }) => `${verdict.figure}\n${verdict.target.says}`),
      axisLabel: { fontSize: 10, lineHeight: 13 },
    },
    series: [
      {
        type: 'bar',
        barWidth: 18,
        data: measured.map(({ must, value }) => ({
          value: Math.min(MAX_PERCENT, percentOfMust(value, must)),
          itemStyle: { color: must.isMet ? MET : MISSED },
          label: { show: true, position: 'right', formatter: formatRatio(value) },
        })),
        markLine: {
          silent: true,
          symbol: 'none',
          lineStyle: { color: '#333333', type: 'solid' },
          label: { formatter: 'must', position: 'start' },
          data: [{ xAxis: 100 }],
        },
      },
      {
        type: 'scatter',
        name: 'aim',
        symbol: 'diamond',
        symbolSize: 11,
        itemStyle: { color: '#1d3557' },
        label: { show: true, position: 'bottom', formatter: 'aim', fontSize: 9, distance: 2 },
        data: measured.flatMap(({ verdict }, index) => {
          const aim = aimInPercent(verdict);
          return aim === null ? [] : [[aim, index]];
        }),
      },
    ],
  });
};

/** What a figure found over time, one panel above the other. Undefined where there is nothing. */
export const lineChart = ({ name, lines }: FigureResult): string | undefined => {
  if (lines.length === 0) return undefined;
  const panel = 220;
  const grid = lines.map((_line, index) => ({
    left: 70,
    right: 30,
    top: 60 + index * panel,
    height: panel - 75,
  }));
  return render(60 + lines.length * panel, {
    title: { text: name, left: 10, top: 8, textStyle: { fontSize: 15 } },
    grid,
    xAxis: lines.map((_line, gridIndex) => ({
      type: 'value',
      gridIndex,
      axisLabel: { formatter: '{value} s' },
    })),
    yAxis: lines.map(({ name: title, unit }, gridIndex) => ({
      type: 'value',
      gridIndex,
      min: 0,
      name: `${title}, ${unit}`,
      nameTextStyle: { align: 'left' },
    })),
    series: lines.map(({ points }, index) => ({
      type: 'line',
      xAxisIndex: index,
      yAxisIndex: index,
      showSymbol: false,
      data: points,
    })),
  });
};
