// The trial of e2e/sso/run. Each step prints a line; the first that is not as it must be ends the trial.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [root] = process.argv.slice(2);
const modules = createRequire(path.join(root, 'target/mcp-user/package.json'));
const { chromium } = await import(pathToFileURL(modules.resolve('playwright-core'))).then((all) => all.default ?? all);
const { SAFECONDUCT_URL: service, KEYCLOAK_URL: keycloak, KEYCLOAK_PASSWORD } = process.env;
const step = (text) => console.log(`ok  ${text}`);

// The administrator of Keycloak.
async function admin(method, target) {
  const token = await fetch(`${keycloak}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      username: 'admin',
      password: KEYCLOAK_PASSWORD,
    }),
  }).then((answer) => answer.json());
  const response = await fetch(`${keycloak}/admin/realms/safeconduct${target}`, {
    method,
    headers: { Authorization: `Bearer ${token.access_token}` },
  });
  assert.ok(response.ok, `${method} ${target}: ${response.status}`);
  return method === 'GET' ? response.json() : undefined;
}

const browser = await chromium.launch({
  executablePath: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(fs.existsSync),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});

// Signs in from a page of the console, with Keycloak's form if it shows one.
async function signIn(page, user, opened = '/console') {
  await page.goto(service + opened);
  await page.click('a.button:has-text("Continue with Keycloak")');
  await page.waitForLoadState();
  if (page.url().startsWith(keycloak)) {
    await page.fill('#username', user);
    await page.fill('#password', 'correct horse battery');
    await page.click('#kc-login');
    await page.waitForURL(`${service}/**`);
  }
}
const me = async (page) => (await page.request.get(`${service}/api/auth/me`)).json();
const status = async (page) => (await page.request.get(`${service}/api/auth/me`)).status();

try {
  const ann = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await signIn(ann, 'ann', '/console/keys');
  assert.equal(ann.url(), `${service}/console/keys`);
  const first = await me(ann);
  assert.equal(first.role, 'admin');
  assert.equal(first.email, 'ann@example.com');
  assert.equal(first.display_name, 'Ann Example');
  step('Ann signs in, opens the page that she asked for, and her group makes her an admin');

  const bob = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await signIn(bob, 'bob');
  assert.match(await bob.textContent('main'), /none of your groups there has a role here/);
  assert.equal(await status(bob), 401);
  step('Bob, who has no group, reads why he cannot come in');

  const password = await fetch(`${service}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.com', password: 'correct horse battery' }),
  });
  assert.equal(password.status, 403);
  step('passwords are closed');

  await ann.goto(`${service}/console`);
  await ann.click('form[action="/console/sign-out"] button:visible');
  await ann.waitForURL(`${service}/console/sign-in**`);
  assert.equal(await status(ann), 401);
  await ann.click('a.button:has-text("Continue with Keycloak")');
  await ann.waitForSelector('#kc-login');
  step('signing out ends the session here and at Keycloak, which asks for the password again');

  await signIn(ann, 'ann');
  assert.equal((await me(ann)).account_id, first.account_id);
  const [{ id }] = await admin('GET', '/users?username=ann');
  await admin('POST', `/users/${id}/logout`);
  const deadline = Date.now() + 10_000;
  while ((await status(ann)) !== 401) {
    assert.ok(Date.now() < deadline, 'the session goes on after the back-channel logout');
  }
  step('Keycloak ends the session, and it ends here by a back-channel logout');

  const groups = await admin('GET', `/users/${id}/groups`);
  await admin('DELETE', `/users/${id}/groups/${groups.find((group) => group.name === 'safeconduct-admins').id}`);
  await signIn(ann, 'ann');
  assert.equal((await me(ann)).role, 'member');
  step('without the first group Ann is a member by the second');

  await admin('DELETE', `/users/${id}/groups/${groups.find((group) => group.name === 'developers').id}`);
  await admin('POST', `/users/${id}/logout`);
  while ((await status(ann)) !== 401) {
    assert.ok(Date.now() < deadline + 60_000, 'the session goes on');
  }
  await signIn(ann, 'ann');
  assert.match(await ann.textContent('main'), /none of your groups there has a role here/);
  step('without any group she stays outside');
} finally {
  await browser.close();
}
