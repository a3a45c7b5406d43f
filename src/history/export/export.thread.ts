import { doOrdered } from '../threads/ordered.ts';
import { exportHere } from './export-here.ts';

await doOrdered(exportHere);
