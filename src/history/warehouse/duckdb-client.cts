import duckdb = require('@duckdb/node-api');

/** CommonJS: imported, the files of the package would be parsed for the names that they export, which takes longer. */
export = duckdb;
