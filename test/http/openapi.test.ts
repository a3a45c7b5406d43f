import { expect } from 'chai';
import { hiring } from '../../src/hiring/index.ts';
import { isObject } from '../../src/schema/json.ts';
import { listAt, textAt } from './answer-rules.ts';
import { startCheckedService, type CheckedService } from './checked-service.ts';
import {
  closed,
  createAnswerCheck,
  createCompiler,
  objectAt,
  operationsOf,
  type DocumentedOperation,
} from './openapi-check.ts';
import { operations } from './operations.ts';
import { bodies } from '../support/examples.ts';

const { commands, queries, admin, questions } = hiring;

/** Every schema object of a document: the values of its members `schema`. */
const schemasOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value.flatMap(schemasOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => (name === 'schema' ? [member] : schemasOf(member)));
};

/** Every parameter and content of a document: what has a member `schema`, but headers of answers. */
const exemplifiedOf = (value: unknown): Readonly<Record<string, unknown>>[] => {
  if (Array.isArray(value)) return value.flatMap(exemplifiedOf);
  if (!isObject(value)) return [];
  if ('schema' in value) return [value];
  return Object.entries(value).flatMap(([name, member]) => (name === 'headers' ? [] : exemplifiedOf(member)));
};

const parametersOf = ({ operation }: DocumentedOperation, place: string) =>
  listAt(operation, 'parameters').filter((parameter) => textAt(parameter, 'in') === place);

describe('The OpenAPI description', () => {
  let service: CheckedService;
  let document: unknown;
  let documented: DocumentedOperation[];

  before(async () => {
    service = await startCheckedService();
    const answer = await service.send('GET', '/openapi.json', { key: null });
    expect(answer.status).to.equal(200);
    document = answer.body;
    documented = operationsOf(document);
  });
  after(() => service.stop());

  it('is one of OpenAPI 3.1, with a title and a version', () => {
    expect(textAt(document, 'openapi')).to.match(/^3\.1\.\d+$/);
    expect(textAt(document, 'info', 'title')).not.to.equal('');
    expect(textAt(document, 'info', 'version')).to.equal('1');
  });

  it('has every operation, and nothing else', () => {
    const { operations: ofOperators, events } = admin;
    const reads = [...queries, events, ...questions].map((one) => ({ method: 'GET', ...one }));
    const wanted = [...commands, ...reads, ...ofOperators].map(
      ({ name, method, path }) => `${name} ${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    const found = documented.map(
      ({ method, template, operation }) => `${textAt(operation, 'operationId')} ${method} ${template}`,
    );
    expect(found).to.have.members(wanted);
  });

  it('names every operation once', () => {
    const names = documented.map(({ operation }) => textAt(operation, 'operationId'));
    expect(names).to.have.lengthOf(new Set(names).size);
  });

  it('has a 409 only where a rule of the domain forbids a write', () => {
    const names = new Set<string>(commands.map(({ name }) => name));
    const found = documented
      .filter(({ operation }) => '409' in objectAt(operation, 'responses'))
      .map(({ operation }) => textAt(operation, 'operationId'));
    expect(found.filter((name) => names.has(name))).to.have.members([
      'applyToPosting',
      'changeCandidate',
      'startMfaFlow',
      'subscribeWebhook',
    ]);
  });

  it('declares every parameter of a path, as required', () => {
    for (const one of documented) {
      const inTemplate = [...one.template.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, required: true }));
      const declared = parametersOf(one, 'path').map((parameter) => objectAt(parameter));
      expect(
        declared.map(({ name, required }) => ({ name, required })),
        one.template,
      ).to.have.deep.members(inTemplate);
    }
  });

  it('declares no parameter twice, nor one that a member of the body is named as, so that Error-Field is clear', () => {
    for (const { operation } of documented) {
      const { requestBody } = operation;
      const members =
        requestBody === undefined ? {} : objectAt(requestBody, 'content', 'application/json', 'schema', 'properties');
      const names = [
        ...Object.keys(members),
        ...listAt(operation, 'parameters').map((parameter) => textAt(parameter, 'name')),
      ];
      expect(names).to.have.lengthOf(new Set(names).size);
    }
  });

  it('holds only schemas that compile', () => {
    const schemas = schemasOf(documented);
    const compile = createCompiler();
    expect(schemas).to.have.length.above(documented.length);
    for (const schema of schemas) expect(() => compile(schema)).not.to.throw();
  });

  it('has an example of each parameter, body and answer, which its schema takes', () => {
    const compile = createCompiler();
    for (const { schema, example } of exemplifiedOf(documented)) {
      const { contentSchema, examples } = objectAt(schema);
      const value: unknown = example ?? (Array.isArray(examples) ? examples[0] : undefined);
      const fault =
        contentSchema === undefined
          ? compile(closed(schema))(value)
          : compile(closed(contentSchema))(JSON.parse(String(value)));
      expect(fault, JSON.stringify(value)).to.equal(undefined);
    }
  });

  it('says of each parameter what it is', () => {
    for (const { template, operation } of documented)
      for (const parameter of listAt(operation, 'parameters'))
        expect(textAt(parameter, 'description'), `${template} ${textAt(parameter, 'name')}`).not.to.equal('');
  });

  it('describes each answer in words, each error with the error object', () => {
    for (const { template, operation } of documented)
      for (const [status, response] of Object.entries(objectAt(operation, 'responses'))) {
        expect(textAt(response, 'description'), `${template} ${status}`).not.to.equal('');
        if (Number(status) < 400) continue;
        const schema = objectAt(response, 'content', 'application/json', 'schema');
        expect(schema).to.deep.include({ required: ['error'] });
      }
  });

  it('names only security schemes that it defines, at every operation', () => {
    const schemes = Object.keys(objectAt(document, 'components', 'securitySchemes'));
    for (const { template, operation } of documented) {
      const [needed] = listAt(operation, 'security').map((one) => Object.keys(objectAt(one)));
      expect(schemes, template).to.include.members(needed ?? ['none']);
    }
  });

  it('describes the bodies that commands take', () => {
    const compile = createCompiler();
    for (const { name, body } of operations.filter((one) => one.body)) {
      const found = documented.find(({ operation }) => textAt(operation, 'operationId') === name);
      const schema = objectAt(found?.operation, 'requestBody', 'content', 'application/json', 'schema');
      expect(compile(schema)(body), name).to.equal(undefined);
      expect(compile(schema)({ ...body, unknownMember: 1 }), name).to.include('must NOT have additional properties');
    }
  });

  describe('as the check of answers', () => {
    const saved = { postingId: bodies.review.jobID, isSaved: true, savedAt: '2026-03-02T09:00:00.000Z' };
    const check = (method: string, path: string, status: number, body?: unknown) => () => {
      createAnswerCheck(document)(method, path, { status, body });
    };

    it('passes an answer as documented', () => {
      expect(check('POST', '/professionals/postings/save', 200, saved)).not.to.throw();
    });
    it('fails for a body with a wrong type', () => {
      expect(check('POST', '/professionals/postings/save', 200, { ...saved, savedAt: null })).to.throw(
        'savedAt must be string',
      );
    });
    it('fails for a body with a member missing', () => {
      const { savedAt: _savedAt, ...rest } = saved;
      expect(check('POST', '/professionals/postings/save', 200, rest)).to.throw("required property 'savedAt'");
    });
    it('fails for a body with a member too many', () => {
      expect(check('POST', '/professionals/postings/save', 200, { ...saved, id: 'x' })).to.throw(
        'additional properties',
      );
    });
    it('fails for an error that is not the error object', () => {
      expect(check('POST', '/professionals/postings/save', 400, { message: 'x' })).to.throw(
        "required property 'error'",
      );
    });
    it('fails for a status that is not documented', () => {
      expect(check('POST', '/professionals/postings/save', 418, { error: 'x' })).to.throw('status is not documented');
    });
    it('fails for a 204 with a body', () => {
      expect(check('PATCH', '/users/phone', 204, {})).to.throw('must have no body');
    });
    it('fails for an operation that is not documented', () => {
      expect(check('DELETE', '/users/phone', 204)).to.throw('no such operation');
    });
    it('takes a fixed segment for no parameter', () => {
      expect(check('GET', '/postings/saved', 404, { error: 'x' })).to.throw('status is not documented');
    });
  });
});
