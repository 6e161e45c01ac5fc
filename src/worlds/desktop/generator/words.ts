/** The names on generated desktops. The lists share no word, so that a click on a name means one thing. */
// prettier-ignore
export const NOUNS = [
  'tree', 'cat', 'lake', 'river', 'forest', 'cloud', 'rose', 'boat', 'bridge', 'castle', 'moon', 'hill', 'barn', 'deer',
  'fox', 'owl', 'bear', 'horse', 'tiger', 'leaf', 'stone', 'tower', 'island', 'train', 'plane', 'kite', 'lamp', 'piano',
  'drum', 'guitar', 'apple', 'lemon', 'grape', 'olive', 'pepper', 'walnut', 'cherry', 'mango', 'wolf', 'crane',
] as const
export const ENDINGS = ['png', 'txt', 'pdf'] as const
export const FOLDERS = ['Pictures', 'Notes', 'Music', 'Plans', 'Archive', 'Travel', 'School', 'Recipes'] as const
export const NEW_FOLDERS = ['Summer', 'Winter', 'Spring', 'Autumn', 'Family', 'Garden', 'Office', 'Sport'] as const
export const DOCUMENTS = ['letter', 'speech', 'story', 'diary', 'essay', 'poem'] as const
export const ADJECTIVES = ['red', 'blue', 'green', 'old', 'young', 'small', 'warm', 'cold', 'quiet', 'bright'] as const
export const THINGS = [
  'wagon',
  'window',
  'market',
  'kitchen',
  'road',
  'song',
  'coat',
  'wheel',
  'clock',
  'ship',
] as const
export const TABLES = ['budget', 'scores', 'stock', 'orders', 'league', 'costs'] as const
export const GOODS = ['tea', 'milk', 'bread', 'rice', 'salt', 'soap', 'flour', 'sugar', 'honey', 'cocoa'] as const
export const GOODS_HEADER = 'item'
export const NUMBER_HEADERS = ['price', 'count', 'weight', 'year', 'points', 'size'] as const
export const PEOPLE = ['Ann', 'Bob', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gina', 'Hugo', 'Ida', 'Jon'] as const
// prettier-ignore
export const SUBJECTS = [
  'lunch', 'meeting', 'invoice', 'trip', 'party', 'contract', 'holiday', 'birthday', 'concert', 'visit',
] as const
export const REPLIES = ['yes please', 'no thanks', 'see you', 'well done', 'not today', 'good idea'] as const
export const MAIL_TEXTS = ['please look at this', 'what do you think', 'all is ready', 'until then'] as const
export const BOXES = ['Work', 'Private', 'Clients', 'Club', 'Team', 'Bills'] as const
export const SECTIONS = ['Display', 'Sound', 'Network', 'Power', 'Privacy'] as const
export const PAGES = ['gardening', 'cooking', 'sailing', 'seeds', 'soils', 'soups', 'cakes', 'knots', 'tides'] as const
export const HOME_PAGE = 'home'
export const BOOKMARK_FOLDERS = ['Bar', 'Reading', 'Later', 'Shop'] as const
