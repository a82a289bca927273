// Makes ECMAScript fail where the language of the rules fails, and only there. The generator wraps
// operands in these functions; the operators, their precedence, lambdas, scoping, short circuits
// and methods stay ECMAScript's own. Where the language differs on purpose:
//   N, S    arithmetic and + never coerce, C: order is between numbers only, else false
//   Z       division by zero is an error
//   Q, E    no array or object is ever the same as another or itself; == never coerces
//   I       [key] reads own members by string, never the three forbidden names, never an index; get
//           reads own members of any name
//   methods take strings only; replace knows no $ patterns; split does not cut surrogate pairs
function N(x) { if (typeof x !== 'number') throw new TypeError('number'); return x; }
function S(x) { if (typeof x !== 'string') throw new TypeError('string'); return x; }
function Z(x) { if (N(x) === 0) throw new TypeError('zero'); return x; }
function C(x) { return typeof x === 'number' ? x : NaN; }
function Q(x) { return typeof x === 'object' && x !== null ? {} : x; }
function E(x) {
  if (x === undefined || x === null) return null;
  return typeof x === 'object' ? {} : typeof x + ':' + String(x);
}
function I(o, k) {
  return own(o, ['__proto__', 'prototype', 'constructor'].indexOf(k) < 0 ? k : undefined);
}
function own(o, k) {
  if (o === undefined || o === null) throw new TypeError('member');
  if (typeof k !== 'string') return undefined;
  if (k === 'length' && (typeof o === 'string' || Array.isArray(o))) return o.length;
  if (typeof o !== 'object' || Array.isArray(o)) return undefined;
  return Object.prototype.hasOwnProperty.call(o, k) ? o[k] : undefined;
}
function absent(v) { return v === undefined || v === null; }
function isEmpty(v) {
  return absent(v) || (typeof v === 'string' && /^[\s\x1c-\x1f\x85]*$/.test(v)) || (Array.isArray(v) && v.length === 0);
}
function get(o) {
  for (var i = 1; i < arguments.length; i++) {
    if (absent(o)) return undefined;
    o = own(o, arguments[i]);
  }
  return o;
}
(function () {
  ['includes', 'startsWith', 'endsWith', 'split', 'replace'].forEach(function (name) {
    var plain = String.prototype[name];
    String.prototype[name] = function (a, b) {
      S(a);
      if (name === 'replace') {
        S(b);
        return plain.call(this, a, function () { return b; });
      }
      if (name === 'split' && a === '' && /[\uD800-\uDFFF]/.test(this)) throw new TypeError('cut');
      return plain.call(this, a);
    };
  });
  var plain = Array.prototype.includes;
  Array.prototype.includes = function (x) {
    return (typeof x !== 'object' || x === null) && plain.call(this, x);
  };
})();
