// validate.mjs FOLDER: checks every object of the rendered files in FOLDER against the models of
// Kubernetes and of the Prometheus operator: required fields, types, formats and patterns by their
// schemas, and unknown fields, which those schemas let pass, by their TypeScript types.
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';

const here = process.env.MODULES;
const require = createRequire(join(here, 'package.json'));
const { parseAllDocuments } = require('yaml');
const ts = require('typescript');
const folder = resolve(process.argv[2]);

const modules = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'batch/v1': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
};
const secret = /^(ADMIN_TOKEN|DATABASE_URL|OIDC_CLIENT_SECRET|PKCS11_PIN|SAFECONDUCT_MASTER_KEY|SMTP_URL|WEBHOOK_SECRET|OTEL_.*_HEADERS|AUDIT_STREAM_.*_(TOKEN|HEADER))$/;
// The settings of a destination have its name in theirs.
const destination = /^AUDIT_STREAM_[A-Z][A-Z0-9]*_(URL|FORMAT|FROM|TOKEN|HEADER|GZIP|CA|CERT|KEY|MESSAGE_BYTES|RESEND_SECONDS)$/;

// Every setting that the service knows, by name.
const settings = new Set([...readFileSync(process.env.SETTINGS, 'utf8').matchAll(/^# ([A-Z][A-Z0-9_]+): /gm)].map(each => each[1]));

let faults = 0;
const fault = text => { faults++; console.log('FAULT ' + text); };

/** What no schema states: every container is locked down, and no secret stands in a manifest. */
function rules(where, object) {
  const pod = object.spec?.template?.spec;
  if (!pod) return;
  const context = pod.securityContext ?? {};
  if (context.runAsUser !== 65532 || context.runAsNonRoot !== true
      || context.seccompProfile?.type !== 'RuntimeDefault') fault(`${where}: security context of the pod`);
  if (pod.automountServiceAccountToken !== false) fault(`${where}: the token of the service account is mounted`);
  for (const container of pod.containers) {
    const own = container.securityContext ?? {};
    if (own.readOnlyRootFilesystem !== true || own.allowPrivilegeEscalation !== false
        || own.capabilities?.drop?.[0] !== 'ALL') fault(`${where}: security context of ${container.name}`);
    for (const { name, value } of container.env ?? []) {
      if (!settings.has(name) && !destination.test(name)) fault(`${where}: the service has no setting ${name}`);
      if (secret.test(name) && value !== undefined) fault(`${where}: ${name} has a value`);
    }
    const mounted = new Set((container.volumeMounts ?? []).map(mount => mount.name));
    const volumes = [...(pod.volumes ?? []), ...(object.spec.volumeClaimTemplates ?? []).map(claim => claim.metadata)];
    for (const name of mounted) if (!volumes.some(volume => volume.name === name)) fault(`${where}: no volume ${name}`);
    const drain = container.env.find(each => each.name === 'DRAIN_SECONDS');
    const wait = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
    if (object.kind !== 'Job' && pod.terminationGracePeriodSeconds < Number(drain.value) + wait + 10) {
      fault(`${where}: it is killed before it has drained`);
    }
  }
  const labels = object.spec.template.metadata.labels;
  for (const [name, value] of Object.entries(object.spec.selector?.matchLabels ?? {})) {
    if (labels[name] !== value) fault(`${where}: the selector does not match ${name}`);
  }
}

let source = '';
let count = 0;
for (const file of readdirSync(folder).filter(name => name.endsWith('.yaml')).sort()) {
  const kinds = [];
  for (const document of parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { uniqueKeys: true })) {
    for (const error of document.errors) fault(`${file}: ${error.message}`);
    const object = document.toJS();
    if (object === null || object === undefined) continue;
    const where = `${file} ${object.kind}`;
    const name = modules[object.apiVersion];
    const models = name && await import(pathToFileURL(join(here, 'node_modules', name, 'index.js')).href);
    if (!models?.[object.kind]) { fault(`${where}: no model of ${object.apiVersion}`); continue; }
    try {
      new models[object.kind](object).validate();
    } catch (e) {
      fault(`${where}: ${e.message}`);
    }
    rules(where, object);
    source += `import type { I${object.kind} as T${count} } from '${name}';\n`
      + `export const o${count}: T${count} = ${JSON.stringify(object)}; // ${where}\n`;
    kinds.push(object.kind);
    count++;
  }
  console.log(`${file}: ${kinds.join(', ')}`);
}

// Unknown fields: excess properties of the literals.
const main = join(here, 'rendered.ts');
const options = { noEmit: true, strict: true, skipLibCheck: true, module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022, types: [] };
const host = ts.createCompilerHost(options);
const read = host.readFile, exists = host.fileExists, get = host.getSourceFile;
host.fileExists = name => name === main || exists(name);
host.readFile = name => name === main ? source : read(name);
host.getSourceFile = (name, ...more) => name === main
  ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : get(name, ...more);
const lines = source.split('\n');
for (const each of ts.getPreEmitDiagnostics(ts.createProgram([main], options, host))) {
  const at = each.file && each.file.fileName === main ? each.file.getLineAndCharacterOfPosition(each.start).line : 0;
  fault(`${(lines[at] ?? '').replace(/^.*; \/\/ /, '').slice(0, 200)}: ${ts.flattenDiagnosticMessageText(each.messageText, ' ')}`);
}
console.log(`${count} objects, ${faults} faults`);
process.exit(faults === 0 && count > 0 ? 0 : 1);
