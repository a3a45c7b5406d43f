import { workerData } from 'node:worker_threads';
import { streamToParent } from '../../lib/thread-stream.ts';
import { encodeInTurn, type EncodeOrder } from './encode-in-turn.ts';

// Given by `encodedBeside`.
const order = workerData as EncodeOrder;

await streamToParent((signal) => encodeInTurn(order, signal));
