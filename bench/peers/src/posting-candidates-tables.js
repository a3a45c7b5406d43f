// @ts-check
/**
 * The read model's tables. Statements set facts; SQLite derives from them what `src/domain/candidate.ts` and
 * `projections/posting-candidates.ts` derive in code, and keeps the document that is shown.
 */

const closed = `closedAt IS NOT NULL AND officeStatus NOT IN ('hired', 'rejected')`;

export const createTables = [
  `CREATE TABLE posting_candidates (
    id TEXT PRIMARY KEY, postingId TEXT NOT NULL, professionalId TEXT NOT NULL,
    appliedAt TEXT NOT NULL, createdBy TEXT NOT NULL,
    -- By the candidate's own events
    ownUpdatedAt TEXT NOT NULL, ownUpdatedBy TEXT NOT NULL,
    officeStatus TEXT NOT NULL, shortlisted INTEGER NOT NULL, onsiteInterviewId TEXT,
    -- Of the posting
    closedAt TEXT, closedBy TEXT,
    -- Of the professional
    professionalName TEXT, professionalEmail TEXT, professionalPhone TEXT, professionalPicture TEXT,
    yearsOfExperience INTEGER,

    updatedAt AS (CASE WHEN ${closed} AND closedAt > ownUpdatedAt THEN closedAt ELSE ownUpdatedAt END),
    updatedBy AS (CASE WHEN ${closed} AND closedAt > ownUpdatedAt THEN closedBy ELSE ownUpdatedBy END),
    hiringStatus AS (
      CASE WHEN officeStatus IN ('hired', 'rejected') THEN officeStatus WHEN ${closed} THEN 'closed' ELSE 'open' END),
    professionalStatus AS (CASE WHEN officeStatus = 'rejected' OR ${closed} THEN 'closed' ELSE officeStatus END),
    officeRank AS (CASE officeStatus
      WHEN 'applied' THEN 0 WHEN 'scheduled' THEN 1 WHEN 'interviewed' THEN 2 WHEN 'hired' THEN 3 ELSE 4 END),
    hiringRank AS (CASE hiringStatus WHEN 'open' THEN 0 WHEN 'hired' THEN 1 WHEN 'rejected' THEN 2 ELSE 3 END),
    professionalRank AS (CASE professionalStatus
      WHEN 'applied' THEN 0 WHEN 'scheduled' THEN 1 WHEN 'interviewed' THEN 2 WHEN 'hired' THEN 3 ELSE 4 END),
    hired AS (officeStatus = 'hired'),

    document TEXT AS (json_object(
      'id', id, 'postingId', postingId, 'appliedAt', appliedAt, 'createdAt', appliedAt, 'createdBy', createdBy,
      'updatedAt', updatedAt, 'updatedBy', updatedBy, 'hiringStatus', hiringStatus, 'officeStatus', officeStatus,
      'isShortlisted', json(iif(shortlisted, 'true', 'false')), 'onsiteInterviewId', onsiteInterviewId,
      'professionalId', professionalId, 'professionalName', professionalName,
      'professionalEmail', professionalEmail, 'professionalPhone', professionalPhone,
      'professionalPicture', professionalPicture, 'professionalStatus', professionalStatus,
      'yearsOfExperience', yearsOfExperience)) STORED
  )`,
  'CREATE INDEX posting_candidates_1 ON posting_candidates (postingId)',
  'CREATE INDEX posting_candidates_2 ON posting_candidates (professionalId)',

  `CREATE TABLE posting_candidates_people (
    id TEXT PRIMARY KEY, userId TEXT NOT NULL, name TEXT NOT NULL, email TEXT, picture TEXT,
    yearsOfExperience INTEGER, profilePhone TEXT,
    -- The last profile's number that differed from the one before it and was not null
    changedPhone TEXT, changedPhoneAt TEXT,
    -- The number that the user set
    ownPhone TEXT, ownPhoneAt TEXT,
    phone AS (CASE
      WHEN ownPhone IS NULL THEN profilePhone WHEN changedPhoneAt > ownPhoneAt THEN changedPhone ELSE ownPhone END)
  )`,
  'CREATE INDEX posting_candidates_people_1 ON posting_candidates_people (userId)',
  'CREATE TABLE posting_candidates_phones (userId TEXT PRIMARY KEY, number TEXT NOT NULL, at TEXT NOT NULL)',
  'CREATE TABLE posting_candidates_postings (id TEXT PRIMARY KEY, facts TEXT, closedAt TEXT, closedBy TEXT)',
];

export const dropTables = ['', '_people', '_phones', '_postings'].map(
  (suffix) => `DROP TABLE IF EXISTS posting_candidates${suffix}`,
);
