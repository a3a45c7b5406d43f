/**
 * TypeBox, which all schemas are written with. The build bundles its hundreds of modules into this one, as each
 * starting thread would take long to load them one by one.
 */
export { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
