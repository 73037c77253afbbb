import shipped from '../catalogue/catalogue.json';
import { readCatalogued } from './catalogued-plugin';
import { PluginAddress } from './plugin-address';

describe('The catalogue that comes with the server (PLUG-29)', () => {
  it.each(shipped)('has $name in the form of the answer, with an address to install it from', (entry) => {
    expect(readCatalogued(entry)).toEqual(entry);
    expect(PluginAddress.parse(entry.url).url).toBe(entry.url);
    expect(entry.description).not.toBe('');
  });

  it('has no plugin twice, and is in order', () => {
    const names = shipped.map(({ name }) => name);
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
    expect(new Set(shipped.map(({ url }) => url.toLowerCase())).size).toBe(shipped.length);
    expect(shipped.length).toBeGreaterThan(15);
  });
});

describe('An entry of a catalogue', () => {
  const entry = {
    name: 'Sender',
    url: 'https://github.com/acme/sender',
    description: '',
    icon: null,
    verified: false,
    maintainer: 'community',
  };

  it('keeps the fields of the answer alone; its icon may be missing', () => {
    const { icon: _, ...iconless } = entry;
    expect(readCatalogued({ ...iconless, type: 'data_out', constructor: 1 })).toEqual(entry);
  });

  it.each<[string, unknown]>([
    ['name', { ...entry, name: '' }],
    ['name', { ...entry, name: 'x'.repeat(201) }],
    ['name', {}],
    ['url', { ...entry, url: 'acme/sender' }],
    ['url', { ...entry, url: 'file:///sender' }],
    ['url', { ...entry, url: `https://example.com/${'x'.repeat(800)}` }],
    ['description', { ...entry, description: null }],
    ['icon', { ...entry, icon: 'data:image/png;base64,' }],
    ['verified', { ...entry, verified: 1 }],
    ['maintainer', { ...entry, maintainer: 'constructor' }],
    ['entry', null],
    ['entry', [entry]],
    ['entry', 'entry'],
  ])('is refused for its %s: %#', (wrong, value) => expect(readCatalogued(value)).toEqual({ wrong }));
});
