import { init, type EChartsOption } from 'echarts';
import type { FigureResult } from '../results.ts';

const WIDTH = 960;

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

/** What a figure found over time, one panel above the other. Undefined where there is nothing. */
export const lineChart = ({ name, lines }: FigureResult): string | undefined => {
  if (lines.length === 0) return undefined;
  const panel = 220;
  const grid = lines.map((_line, index) => ({ left: 70, right: 30, top: 60 + index * panel, height: panel - 75 }));
  return render(60 + lines.length * panel, {
    title: { text: name, left: 10, top: 8, textStyle: { fontSize: 15 } },
    grid,
    xAxis: lines.map((_line, gridIndex) => ({ type: 'value', gridIndex, axisLabel: { formatter: '{value} s' } })),
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
