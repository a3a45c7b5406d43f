import js from '@eslint/js';
import ts from 'typescript-eslint';

export default ts.config(
  // The tours are compiled beside what they import, which is generated; the types of the console are, too.
  { ignores: ['dist*/', 'test/clients/dist/', 'test/clients/tours/', 'data/', 'console/operations.ts'] },
  js.configs.recommended,
  {
    // Prettier breaks code, and leaves comments as they are.
    rules: { 'max-len': ['error', { code: 1_000, comments: 120 }] },
  },
  {
    files: ['**/*.{ts,cts,tsx}'],
    extends: [ts.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': [
        'error',
        { ignoreRestSiblings: true, argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-assertions': [
        'error',
        { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' },
      ],
      // Of a CommonJS module; the compiler refuses it in others.
      '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }],
      // Koa waits for its middleware.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // The build bundles them there. Tests and benchmarks may have the package itself.
    files: ['src/**/*.{ts,cts}', 'commands/**/*.ts', 'projections/**/*.ts', 'queries/**/*.ts'],
    ignores: ['src/schema/typebox.ts', 'src/schema/ajv.ts', 'src/domain/libphonenumber.ts', 'src/telemetry/api.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'typebox', message: 'Import src/schema/typebox.ts.' },
        { name: 'libphonenumber-js/max', message: 'Import src/domain/libphonenumber.ts.' },
        { name: 'ajv', message: 'Import src/schema/ajv.ts.' },
        { name: 'ajv/dist/2020.js', message: 'Import src/schema/ajv.ts.' },
        { name: '@opentelemetry/api', message: 'Import src/telemetry/api.ts.' },
      ],
    },
  },
  {
    // Commands are given a Terminal, so that tests run them in their own process.
    files: ['src/cli/**/*.ts'],
    ignores: ['src/cli/hiring.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['env', 'cwd', 'stdout', 'stderr', 'exitCode', 'exit', 'on', 'once', 'umask'].map((property) => ({
          object: 'process',
          property,
        })),
      ],
    },
  },
  {
    // Chai's assertions are expressions.
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
);
