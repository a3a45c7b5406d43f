/**
 * TypeBox, which all schemas are written with. The build puts its hundreds of modules into this file's one, as they take
 * each starting thread long to load one by one.
 */
export { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
