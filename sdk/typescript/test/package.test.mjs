import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../node_modules/@safeconduct/client');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((each) => each.isFile()).map((each) => join(each.parentPath ?? each.path, each.name).slice(root.length + 1));

test('the package has what it needs and nothing else', () => {
  const other = files.filter((name) => !/^(package\.json|README\.md|LICENSE|dist\/(adapters\/)?[a-z-]+\.(js|d\.ts))$/.test(name));
  assert.deepEqual(other, []);
  for (const name of ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']) assert.ok(files.includes(name), name);
});

test('it has no dependencies, and runs nothing when it is installed', () => {
  for (const name of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies', 'scripts', 'bin']) {
    assert.equal(manifest[name], undefined, name);
  }
  for (const name of files.filter((each) => each.endsWith('.js'))) {
    for (const [, from] of readFileSync(join(root, name), 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      assert.match(from, /^(node:|\.\.?\/)/, `${name} imports ${from}`);
    }
  }
});

test('every adapter can be imported by its name', async () => {
  const adapters = files.flatMap((name) => /^dist\/adapters\/(.+)\.js$/.exec(name)?.[1] ?? []);
  assert.ok(adapters.length >= 8);
  for (const name of adapters) assert.ok(await import(`@safeconduct/client/${name}`));
});

test('the user agent has the version of the package', async () => {
  assert.ok(readFileSync(join(root, 'dist/version.js'), 'utf8').includes(`'${manifest.version}'`));
});

test('no file names a folder of the machine that built it', () => {
  const built = fileURLToPath(new URL('../', import.meta.url));
  for (const name of files) assert.ok(!readFileSync(join(root, name), 'utf8').includes(built), name);
});

for (const [about, file] of [['a misspelt context does not compile', 'types.ts'],
  ['what adapters return fits the types of the frameworks', 'frameworks.ts']]) {
  test(about, () => {
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--module', 'NodeNext',
      '--target', 'ES2024', '--types', 'node', '--typeRoots', join(dirname(process.env.TSC), '../@types'), join(here, file)];
    try {
      execFileSync(process.env.TSC, options, { stdio: 'pipe', encoding: 'utf8' });
    } catch (error) {
      assert.fail(error.stdout);
    }
  });
}
