import { Changes, render, type Change, type Rendering } from './changes.ts';
import type { Documents } from './projection.ts';
import type { Collection } from '../read-models/port.ts';

/** Documents of a projection that are all in memory, so that no store is read. */
export class MemoryDocuments implements Documents {
  protected readonly documents = new Changes();
  readonly #renderings: Rendering[] = [];

  get<Doc extends object>(collection: Collection<Doc>, id: string): Doc | undefined {
    // A collection holds only documents of its own type.
    return (this.documents.get(collection, id)?.doc ?? undefined) as Doc | undefined;
  }

  ids(collection: Collection, column: string, value: string): readonly string[] {
    return [...this.documents.idsWith(collection, column, value)];
  }

  each<Doc extends object>(
    collection: Collection<Doc>,
    column: keyof Doc & string,
    value: string,
    act: (id: string, doc: Doc) => void,
  ): void {
    this.#renderings.push({ collection, column, value, act: act as Rendering['act'] });
  }

  put(collection: Collection, id: string, doc: object): void {
    this.#set(collection, id, doc);
  }

  remove(collection: Collection, id: string): void {
    this.#set(collection, id, null);
  }

  /** Runs a handler and what it renders; gives what has changed, in order. Where that fails, nothing has changed. */
  handle(handle: () => void): readonly Change[] {
    this.documents.begin();
    this.#renderings.length = 0;
    try {
      handle();
      for (const rendering of this.#renderings) {
        const { collection, column, value } = rendering;
        render(rendering, this.ids(collection, column, value), this);
      }
    } catch (error) {
      this.documents.undo();
      throw error;
    }
    return this.documents.journal;
  }

  #set(collection: Collection, id: string, doc: object | null): void {
    const isNew = this.documents.get(collection, id)?.isNew ?? true;
    this.documents.set(collection, id, { doc, isNew });
  }
}
