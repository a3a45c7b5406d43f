// @ts-check
/** What each event changes. `?1`, `?2` are the parameters in their order. */

export const apply = `
  INSERT INTO posting_candidates (
    id, postingId, professionalId, appliedAt, createdBy, ownUpdatedAt, ownUpdatedBy, officeStatus, shortlisted,
    closedAt, closedBy,
    professionalName, professionalEmail, professionalPhone, professionalPicture, yearsOfExperience)
  SELECT ?1, ?2, ?3, ?4, ?5, ?4, ?5, 'applied', 0,
    posting.closedAt, posting.closedBy,
    person.name, person.email, person.phone, person.picture, person.yearsOfExperience
  FROM (SELECT 1)
    LEFT JOIN posting_candidates_postings posting ON posting.id = ?2
    LEFT JOIN posting_candidates_people person ON person.id = ?3`;

/** @param {string} set further assignments, with parameters from ?4 on */
const move = (set) => `UPDATE posting_candidates SET ownUpdatedAt = ?2, ownUpdatedBy = ?3, ${set} WHERE id = ?1`;

export const setStatus = move('officeStatus = ?4');
export const setStatusAndInterview = move('officeStatus = ?4, onsiteInterviewId = ?5');
export const setInterview = move('onsiteInterviewId = ?4');
export const setShortlisted = move('shortlisted = ?4');

/** Professional, user, name, email, picture, years of experience, phone, time. */
export const recordPerson = `
  INSERT INTO posting_candidates_people (
    id, userId, name, email, picture, yearsOfExperience, profilePhone, changedPhone, changedPhoneAt, ownPhone, ownPhoneAt)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, iif(?7 IS NULL, NULL, ?8), own.number, own.at
  FROM (SELECT 1) LEFT JOIN posting_candidates_phones own ON own.userId = ?2
  WHERE true
  ON CONFLICT (id) DO UPDATE SET
    changedPhone = iif(excluded.profilePhone IS NULL OR excluded.profilePhone IS profilePhone, changedPhone, excluded.profilePhone),
    changedPhoneAt = iif(excluded.profilePhone IS NULL OR excluded.profilePhone IS profilePhone, changedPhoneAt, ?8),
    userId = excluded.userId, name = excluded.name, email = excluded.email, picture = excluded.picture,
    yearsOfExperience = excluded.yearsOfExperience, profilePhone = excluded.profilePhone,
    ownPhone = excluded.ownPhone, ownPhoneAt = excluded.ownPhoneAt`;

/** @param {string} which the professionals, with the parameter ?1 */
const showPeople = (which) => `
  UPDATE posting_candidates
  SET (professionalName, professionalEmail, professionalPhone, professionalPicture, yearsOfExperience) =
    (SELECT name, email, phone, picture, yearsOfExperience FROM posting_candidates_people person
      WHERE person.id = posting_candidates.professionalId)
  WHERE professionalId ${which}`;

export const showPerson = showPeople('= ?1');
export const showPeopleOfUser = showPeople('IN (SELECT id FROM posting_candidates_people WHERE userId = ?1)');

/** User, number, time. */
export const keepPhone = 'INSERT OR REPLACE INTO posting_candidates_phones (userId, number, at) VALUES (?1, ?2, ?3)';
export const setPhone = 'UPDATE posting_candidates_people SET ownPhone = ?2, ownPhoneAt = ?3 WHERE userId = ?1';

/** Posting, facts. */
export const recordPosting = `
  INSERT INTO posting_candidates_postings (id, facts) VALUES (?1, ?2)
  ON CONFLICT (id) DO UPDATE SET facts = excluded.facts`;

/** Posting, time, actor. */
export const closePosting = `
  INSERT INTO posting_candidates_postings (id, closedAt, closedBy) VALUES (?1, ?2, ?3)
  ON CONFLICT (id) DO UPDATE SET closedAt = excluded.closedAt, closedBy = excluded.closedBy`;
export const showClosing = 'UPDATE posting_candidates SET closedAt = ?2, closedBy = ?3 WHERE postingId = ?1';
