// Writes canonical.json. ECMAScript is the definition of a number's form and of the order of names
// (RFC 8785 section 3.2.2.3), so this program's own JSON.stringify is the reference.
import { createHash } from 'node:crypto';
import { canonical, save } from './canonical.mjs';

const texts = {
  'empty object': '{ }', 'empty array': '[ ]', literals: '[true,false,null]',
  'white space': ' { "a" :\t1 ,\r\n"b" : [ 1 , 2 ] } ',
  'names in order': '{"b":1,"a":2,"A":3,"aa":4,"":5,"1":6,"10":7,"2":8}',
  'names by UTF-16, not by code point': '{"\\ud83d\\ude00":1,"\\ufb03":2,"\\u20ac":3,"\\r":4,"1":5,"\\u0080":6,"\\u00f6":7}',
  'nested objects': '{"z":{"b":{"d":1,"c":2},"a":[{"y":1,"x":2}]},"a":[[],{},[[]]]}',
  'a name that JavaScript treats specially': '{"__proto__":{"b":1,"a":2},"constructor":1,"toString":2}',
  'control characters': '"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\\u007f"',
  'escapes': '"\\u0022\\u005c\\u002f\\/\\u0041\\u00e9"',
  'no escape beyond ASCII': '"\\u2028\\u2029\\u20ac\\ufeff\\ufffd\\ud83d\\ude00\\u0301"',
  'no normalization': '["\\u00e9","e\\u0301"]',
  'raw characters': '"é😀\u2028"',
  'no HTML escapes': '"<script>&\'</script>"',
};
const numbers = ['0', '-0', '-0.0', '1', '-1', '1.0', '10', '100', '1e2', '1E+2', '0.1', '0.5', '1.5e1', '-1.5',
  '123456789012345680000', '1e20', '1e21', '1e-6', '1e-7', '0.000001', '0.0000001', '9007199254740991',
  '9007199254740992', '9007199254740993', '-9007199254740993', '295147905179352830000', '4.5', '2e-3',
  '0.000000000000000000000000001', '333333333.33333329', '1E30', '5e-324', '-5e-324', '4.9e-324', '2e-324',
  '1e-400', '1.7976931348623157e308', '-1.7976931348623157e308', '2.2250738585072014e-308', '9.5e-7',
  '1.1', '0.30000000000000004', '100000000000000000000000', '1e23', '9.999999999999997e22',
  '1.0000000000000001', '4.35', '5e-7', '123e-20', '4294967295', '4294967296', '1424953923781206.2',
  '9.313225746154785e-10', '0.1e-6', '12345678901234567890.123',
  // In the middle of two decimals, of which the even one counts.
  '14722824.0966796875', '-14722824.0966796875', '14722824.1904296875', '1125899906842624.25', '1125899906842624.75'];
const cases = Object.entries(texts).map(([name, json]) => ({ name, json }));
numbers.forEach((json) => cases.push({ name: `number ${json}`, json }));
// Doubles of every exponent, by a fixed generator.
let state = 88172645463325252n;
const next = () => {
  state ^= (state << 13n) & 0xffffffffffffffffn; state ^= state >> 7n; state ^= (state << 17n) & 0xffffffffffffffffn;
  return state;
};
const view = new DataView(new ArrayBuffer(8));
const doubles = [];
while (doubles.length < 500) {
  view.setBigUint64(0, next());
  const double = view.getFloat64(0);
  if (Number.isFinite(double)) doubles.push(double.toExponential());
}
cases.push({ name: '500 doubles', json: `[${doubles.join(',')}]` });
for (const each of cases) {
  each.canonical = canonical(JSON.parse(each.json));
  each.sha256 = createHash('sha256').update(each.canonical).digest('hex');
}
const refused = { 'a lone high surrogate': '"\\ud83d"', 'a lone low surrogate': '"\\ude00"',
  'a lone surrogate in a name': '{"\\ud83dx":1}', 'surrogates the wrong way round': '"\\ude00\\ud83d"',
  'larger than a double': '1e400', 'smaller than a double': '[-1e400]' };
for (const [name, json] of Object.entries(refused)) cases.push({ name, json, refused: true });
save('canonical.json', {
  about: 'The RFC 8785 form of JSON.parse(json) is `canonical`, its SHA-256 in hex `sha256`; a `refused` value has none.',
  cases });
