// Starts the try-it console on the contract of this server.
window.addEventListener("DOMContentLoaded", () => {
  window.SwaggerUIBundle({
    url: "/api/openapi-json",
    dom_id: "#try",
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
});
