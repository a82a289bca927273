// Shows this server's OpenAPI document. A fragment opens a section or an operation: #/verify/verifyAction.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);

// Former addresses name the section in the path and the operation in the fragment: /verify#verifyAction.
const section = /\/reference\/([^/]+)$/.exec(window.location.pathname)?.[1];
if (section) {
  const operation = window.location.hash.replace("#", "/");
  window.history.replaceState(null, "", "/api/documentation/reference#/" + section + operation);
}

window.addEventListener("DOMContentLoaded", () => {
  window.SwaggerUIBundle({
    url: "/api/openapi-json",
    dom_id: "#reference",
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
});
