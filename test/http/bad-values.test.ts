import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import { putFacts, unchanged } from './stories.ts';

/** Bounds of decisions, Where fields come from: the values on either side of each. */
describe('Values out of bounds', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
    await putFacts(service);
  });
  after(() => service.stop());

  const facts = {
    office: [`/internal/offices/${ids.office}`, bodies.office],
    professional: [`/internal/professionals/${ids.professional}`, bodies.professional],
    posting: [`/internal/postings/${ids.posting}`, bodies.posting],
  } as const;

  /** Takes JSON text, since numbers such as 1e400 cannot be written otherwise. */
  const put = (name: keyof typeof facts, change: string) => {
    const [path, body] = facts[name];
    const members = new Map(Object.entries<unknown>(body));
    members.delete(/^"(\w+)"/.exec(change)?.[1] ?? '');
    return service.send('PUT', path, { body: `{${change},${JSON.stringify(Object.fromEntries(members)).slice(1)}` });
  };

  const latitudes = (latitude: string) => `"address":[{"latitude":${latitude}}]`;
  const longitudes = (longitude: string) => `"address":[{"longitude":${longitude}}]`;
  const salary = (range: string) => `"salaryRange":{${range}}`;
  const days = (expected: string) => `"schedule":{"expectedDays":${expected}}`;
  const cases: readonly { name: keyof typeof facts; place: string; good: readonly string[]; bad: readonly string[] }[] =
    [
      {
        name: 'professional',
        place: 'yearsOfExperience',
        good: ['0', '80', '7.0', '8e1', 'null'].map((value) => `"yearsOfExperience":${value}`),
        bad: ['-1', '81', '7.5', '"7"', '1e400', '-1e400', 'true', '[]', '{}'].map(
          (value) => `"yearsOfExperience":${value}`,
        ),
      },
      {
        name: 'professional',
        place: 'latitude',
        good: ['-90', '90', '0', '45.123456789', 'null'].map((value) => `"latitude":${value}`),
        bad: ['-90.000001', '90.000001', '"30"', '1e400', 'false'].map((value) => `"latitude":${value}`),
      },
      {
        name: 'professional',
        place: 'longitude',
        good: ['-180', '180', '1e2'].map((value) => `"longitude":${value}`),
        bad: ['-180.1', '180.1', '1e3', '"0"'].map((value) => `"longitude":${value}`),
      },
      {
        name: 'office',
        place: 'address/0/latitude',
        good: ['"90"', '"-90.0"', '"+45.5"', '"0"', '"89.999999999"', 'null'].map(latitudes),
        bad: [
          '90',
          '"90.1"',
          '"91"',
          '"-90.0001"',
          '""',
          '" 30"',
          '"30 "',
          '"3e1"',
          '".5"',
          '"5."',
          '"0x1e"',
          '"NaN"',
          '"Infinity"',
          '"30,5"',
          '"٣٠"',
          '"30\\n"',
          '"--1"',
          `"0.${'1'.repeat(50)}"`,
        ].map(latitudes),
      },
      {
        name: 'office',
        place: 'address/0/longitude',
        good: ['"180"', '"-180.00"', '"179.9"', '"-97.7431"', '"09.5"'].map(longitudes),
        bad: ['180', '"180.1"', '"181"', '"-200"', '"1e2"', '"1000"', '""'].map(longitudes),
      },
      {
        name: 'posting',
        place: 'salaryRange/m',
        good: [
          '"min":0,"max":0',
          '"min":10000000,"max":10000000',
          '"min":5',
          '"max":5',
          '"min":null,"max":null',
          '',
        ].map(salary),
        bad: [
          '"min":-1',
          '"max":10000001',
          '"min":2,"max":1',
          '"min":1.5',
          '"max":"5"',
          '"min":10000001,"max":10000001',
        ].map(salary),
      },
      {
        name: 'posting',
        place: 'salaryRange',
        good: ['"yearly":0', '"yearly":10000000', '"payType":""'].map(salary),
        bad: ['"yearly":-1', '"yearly":10000001', '"payType":5', '"other":1']
          .map(salary)
          .concat('"salaryRange":[]', '"salaryRange":5', '"salaryRange":"5"'),
      },
      {
        name: 'posting',
        place: 'schedule/expectedDays',
        good: ['[]', '[0]', '[6,5,4,3,2,1,0]', 'null'].map(days),
        bad: ['[7]', '[-1]', '[1,1]', '[1,1.0]', '[1.5]', '["1"]', '[null]', '5', '[0,1,2,3,4,5,6,7]'].map(days),
      },
      {
        name: 'posting',
        place: 'benefits',
        good: [JSON.stringify(Array(200).fill('x')), '["a","a"]', '[]', 'null'].map((value) => `"benefits":${value}`),
        bad: [JSON.stringify(Array(201).fill('x')), '[1]', '[null]', '"x"', '{}', '{"0":"x","length":1}'].map(
          (value) => `"benefits":${value}`,
        ),
      },
      {
        name: 'office',
        place: 'address',
        good: [`"address":${JSON.stringify(Array(200).fill({}))}`],
        bad: [
          `"address":${JSON.stringify(Array(201).fill({}))}`,
          '"address":[[]]',
          '"address":[null]',
          '"address":["x"]',
          '"address":{}',
        ],
      },
      {
        name: 'office',
        place: 'officeInfo/bestInDentalYears',
        good: ['[2024]', '[0,9999]'].map((value) => `"officeInfo":{"bestInDentalYears":${value}}`),
        bad: ['[2024.5]', '["2024"]', JSON.stringify(Array(201).fill(2_024))].map(
          (value) => `"officeInfo":{"bestInDentalYears":${value}}`,
        ),
      },
      {
        name: 'office',
        place: 'officeInfo/officeRating',
        good: ['0', '4.5', '-1', '1e308'].map((value) => `"officeInfo":{"officeRating":${value}}`),
        bad: ['"4.5"', '1e400', '[]'].map((value) => `"officeInfo":{"officeRating":${value}}`),
      },
    ];
  for (const { name, place, good, bad } of cases) {
    it(`of the ${name}'s ${place} are a 400`, () =>
      unchanged(service, async () => {
        for (const one of bad) expectError(await put(name, one), 400, new RegExp(`^body/${place}`));
      }));
    it(`of the ${name}'s ${place} end where those within begin`, async () => {
      for (const one of good) {
        const { status, body } = await put(name, one);
        expect(status, `${one.slice(0, 100)} ${JSON.stringify(body)}`).to.equal(204);
      }
    });
  }
});
