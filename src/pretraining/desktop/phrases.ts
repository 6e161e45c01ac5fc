/** Set phrases of the desktop and of its roles' prompts, one token each (see vocabulary.ts). */
export const DESKTOP_PHRASES: readonly string[] = [
  // the opening
  'Desktop: Files, Editor, Sheet, Mail, Settings, Browser.\n',
  'Task:',
  // observations
  '.png',
  '.txt',
  '.pdf',
  ' is selected.',
  '. Not saved.',
  '\nSaved.',
  '\nNothing happens.',
  '\nYou stop here.',
  '\nDialog:',
  ' | OK Cancel',
  ' | Send Cancel',
  ' | Cancel',
  ' is now in',
  ' | ',
  // roles
  '\n>',
  ': click',
  ': type',
  ' goal met: done',
  ' not possible: fail',
  '\nJudge:',
  '; score',
  '\nCritic:',
  '\nRewrite:',
]
