import { setJobNotificationSettings } from '../../../commands/users/set-job-notification-settings.ts';
import type { User } from '../../access/access.ts';
import { FIRST_POSTING_DAY } from './calendar.ts';
import type { World } from './layout.ts';
import { planCommand } from './plan-command.ts';
import { chance, whole } from './random.ts';
import type { Source } from './source.ts';

export const adminUser = (world: World): User => ({
  id: world.id('admin', 0),
  professionalId: undefined,
  officeId: undefined,
  isAdmin: true,
  isAnalyst: false,
});

const SETTINGS_SHARE = 0.12;
const LAST_SETTINGS_DAY = 60;

/** The job notification settings that the administrator sets for some users, each once. */
export const settings = (world: World, demo: number): Source => ({
  kind: 'settings',
  part: 'acts',
  count: world.professionals,
  daysOf(professional) {
    const random = world.random('settings', professional);
    const isSet = chance(random, SETTINGS_SHARE) || professional === demo;
    return isSet ? [whole(random, FIRST_POSTING_DAY, LAST_SETTINGS_DAY)] : [];
  },
  commandOn(professional, day, at) {
    const random = world.random('settings', professional, day);
    const flag = (probability: number) => chance(random, probability);
    return planCommand(world, setJobNotificationSettings, {
      at,
      key: ['settings', professional, day],
      user: adminUser(world),
      params: { userid: world.id('user', professional) },
      body: {
        monday: flag(0.9),
        tuesday: flag(0.9),
        wednesday: flag(0.9),
        thursday: flag(0.9),
        friday: flag(0.7),
        saturday: flag(0.3),
        sunday: flag(0.1),
        contractor: flag(0.5),
        employee: flag(0.8),
      },
    });
  },
});
