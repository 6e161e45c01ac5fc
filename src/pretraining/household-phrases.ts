/** Set phrases of the household world and of its roles' prompts, one token each (see vocabulary.ts). */
export const HOUSEHOLD_PHRASES: readonly string[] = [
  // scene and task
  'You are in the middle of a room. Looking quickly around you, you see', '.\n\nYour task is to:', '. Hint: the',
  // observations
  '\nYou arrive at', '\nOn the', '\nThe', '. On the', '. The', ', you see', ' is closed.', ' is open. In it, you see',
  ' a', ', a', ', and a', ' nothing.', '\nYou pick up the', ' from the', '\nYou move the', ' to the', '\nYou open the',
  '\nYou close the', '\nYou clean the', '\nYou heat the', '\nYou cool the', ' using the', '\nYou turn on the',
  '\nYou are carrying: a', '\nYou are not carrying anything.', '\nYou are facing the', '. Next to it, you see',
  '\nThis is a', "\nThere's nothing special about", '\nNothing happens.', ' go to',
  // roles
  '\n>', '\nJudge:', '; score', '\nCritic:', '\nRewrite:',
]
