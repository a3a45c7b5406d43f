import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { configured } from '../support/process.ts';
import { worlds, type World } from './projections/world.ts';

const CONSOLE_URL = 'https://hiring.example.com/a/console';

describe('The command line where a console is known', () => {
  const { make, copy, end } = worlds();
  let world: World;
  before(async () => {
    await make();
    world = await copy();
  });
  after(end);

  const viewOf = async (args: readonly string[], more: Readonly<Record<string, string>> = { CONSOLE_URL }) =>
    /^console: (.*)$/m.exec((await runCli(world.directory, args, { ...configured, ...more })).stderr)?.[1];

  const views: readonly (readonly [command: string, view: string | undefined])[] = [
    ['doctor', '#/'],
    ['projections list', '#/projections'],
    ['projections pause specialties', '#/projections/specialties'],
    ['projections resume specialties', '#/projections/specialties'],
    ['history types', undefined],
    [
      'history search --type SpecialtyRecorded --newest --from 2020-01-01',
      '#/history?type=SpecialtyRecorded&from=2020-01-01',
    ],
    ['history search --limit 1', '#/history?order=oldest'],
    ['history audit --since 2020-01-01', '#/audit?since=2020-01-01T00%3A00%3A00.000Z'],
  ];
  for (const [command, view] of views)
    it(`names the view of hiring ${command}`, async () => {
      const found = await viewOf(command.split(' '));
      expect(found).to.equal(view && `${CONSOLE_URL}/${view}`);
    });

  it('names the view of an entity, and of a read model at a moment', async () => {
    const { stdout } = await runCli(world.directory, ['history', 'search', '--type', 'SpecialtyRecorded', '--json']);
    const { stream } = JSON.parse(stdout.split('\n')[0] ?? '') as { readonly stream: string };
    const id = stream.replace('specialty-', '');
    expect(await viewOf(['history', 'show', 'specialty', id])).to.equal(
      `${CONSOLE_URL}/#/history/entities/specialty/${id}`,
    );
    const now = new Date().toISOString();
    expect(await viewOf(['history', 'at', 'specialties', id, '--at', now])).to.equal(
      `${CONSOLE_URL}/#/history/read-models/specialties/${id}?at=${encodeURIComponent(now)}`,
    );
  });

  it('names none where the console is off, or not known', async () => {
    const list = ['projections', 'list'];
    expect(await viewOf(list, { CONSOLE_URL, CONSOLE: 'off' })).to.equal(undefined);
    expect(await viewOf(list, {})).to.equal(undefined);
  });
});
