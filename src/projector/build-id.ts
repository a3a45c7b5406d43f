/** The id of a build, such as `lists@2.3`: the third, of version 2 of the code. */
export const buildId = (projection: string, version: number, number: number): string =>
  `${projection}@${version}.${number}`;

/** The number in a build's id: a later build of the projection has a higher one. */
export const numberOfBuild = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1));

/** The projection in a build's id; other text is returned as it is. */
export const projectionNameOfBuild = (id: string): string => {
  const at = id.lastIndexOf('@');
  return at === -1 ? id : id.slice(0, at);
};
