import { serveObserved } from '../warehouse/observed-task.ts';
import { exportHere } from './export-here.ts';

serveObserved(exportHere);
