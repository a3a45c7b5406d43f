import { distanceBins } from './bins.ts';
import { sum } from './durations.ts';
import type { Figures } from './figures.ts';
import { LEFT_OUT } from './map.ts';
import type { Section } from './section.ts';
import { countsByBin } from './bar-rows.ts';
import { countText, shareText } from './words.ts';

const HEAD = { id: 'distances', title: 'How far people travel' } as const;

/** How far applicants live from the office: personal. */
export const distances = ({ personal }: Figures): Section => {
  if (!personal)
    return {
      ...HEAD,
      finding: 'Distances from where professionals live are personal data, and left out.',
      picture: null,
      legend: [],
      table: null,
      note: LEFT_OUT,
    };
  const { applications, hires, measured, unknown } = personal.distances;
  const applied = sum(applications);
  const near = sum(applications.slice(0, distanceBins.findIndex(({ below }) => below === 20) + 1));
  return {
    ...HEAD,
    finding:
      applied === 0
        ? 'No distance is known.'
        : `${shareText(near, applied)} of the applications whose distance is known were for a posting within 20 miles by road. ` +
          `${countText(measured)} of ${countText(applied)} distances were measured, the others estimated.`,
    ...countsByBin(
      distanceBins,
      { Applications: applications, Hires: hires },
      { caption: 'Applications and hires by the distance to the office', unit: 'Distance' },
      { 'not known': unknown },
    ),
    note:
      'Miles along roads from where the professional lives now to the first address of the office: measured by the road ' +
      'router for saved postings, else 1.3 times the great-circle distance.',
  };
};
