import { Type } from '../../src/schema/typebox.ts';
import { nullable } from '../../src/schema/schema.ts';
import { weekdayProperties, type JobNotificationSettings } from '../../src/schema/vocabulary.ts';

const nullableBoolean = nullable(Type.Boolean());

/** Null where it was never set. */
export const nullableWeekdaySchemas = weekdayProperties(nullableBoolean);
export const nullableClassificationSchemas = { contractor: nullableBoolean, employee: nullableBoolean };

export const weekdaySettingsOf = (settings: JobNotificationSettings | null) => ({
  monday: settings?.monday ?? null,
  tuesday: settings?.tuesday ?? null,
  wednesday: settings?.wednesday ?? null,
  thursday: settings?.thursday ?? null,
  friday: settings?.friday ?? null,
  saturday: settings?.saturday ?? null,
  sunday: settings?.sunday ?? null,
});

export const classificationSettingsOf = (settings: JobNotificationSettings | null) => ({
  contractor: settings?.contractor ?? null,
  employee: settings?.employee ?? null,
});
