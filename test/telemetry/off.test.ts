import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

/** Packages that are loaded once a module is, in a process of its own. */
const loadedBy = async (module: string): Promise<readonly string[]> => {
  const url = new URL(module, import.meta.url).href;
  const script = `
    import Module from 'node:module';
    await import(${JSON.stringify(url)});
    const packages = Object.keys(Module._cache).map((path) => /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(path)?.[1]);
    console.log([...new Set(packages.filter((name) => name))].join());
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout.trim().split(',');
};

describe('Without an endpoint', () => {
  it('the service loads nothing of OpenTelemetry but its interface', async () => {
    expect(await loadedBy('../../src/app/create-app.js')).to.deep.equal(['@opentelemetry/api']);
  });

  it('and the SDK is found where it is loaded', async () => {
    expect(await loadedBy('../../src/telemetry/sdk.js')).to.include('@opentelemetry/sdk-trace-base');
  });
});
