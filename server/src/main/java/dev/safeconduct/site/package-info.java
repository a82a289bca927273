/** Documents by which programs discover the service: OpenAPI, OAP, DID, llms.txt and others. */
@NullMarked
package dev.safeconduct.site;

import org.jspecify.annotations.NullMarked;
