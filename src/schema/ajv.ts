/** What checks values against schemas. The build puts its many modules into this file's one, as it does for TypeBox. */
export { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
