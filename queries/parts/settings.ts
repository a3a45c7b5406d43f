import { Type } from '../../src/schema/typebox.ts';
import { nullable } from '../../src/schema/schema.ts';
import { weekdayProperties, type JobNotificationSettings } from '../../src/schema/vocabulary.ts';

const nullableBoolean = nullable(Type.Boolean());

/** Null where it was never set. */
export const nullableDays = weekdayProperties(nullableBoolean);
export const nullableClassifications = { contractor: nullableBoolean, employee: nullableBoolean };

export const daysOf = (settings: JobNotificationSettings | null) => ({
  monday: settings?.monday ?? null,
  tuesday: settings?.tuesday ?? null,
  wednesday: settings?.wednesday ?? null,
  thursday: settings?.thursday ?? null,
  friday: settings?.friday ?? null,
  saturday: settings?.saturday ?? null,
  sunday: settings?.sunday ?? null,
});

export const classificationsOf = (settings: JobNotificationSettings | null) => ({
  contractor: settings?.contractor ?? null,
  employee: settings?.employee ?? null,
});
