package dev.safeconduct.testkit;

import dev.safeconduct.json.JsonObject;

/** A policy pack of an organization's own, an agent that it allows, and questions judged by it. */
public final class StockPack {
  private StockPack() {}

  /** A pack that lets at most so many items be moved at once. */
  public static JsonObject pack(String id, int most) {
    return Calls.json(
        """
        {'id': '%s', 'name': 'Move stock', 'version': '1.%d.0',
         'requires_capabilities': ['acme.stock.move'], 'min_assurance': 'L0',
         'limits_containers': ['acme.stock.move'],
         'limits': {'max_items': {'type': 'number', 'description': 'Most items at once.'}},
         'required_context': {'type': 'object', 'required': ['items'],
           'properties': {'items': {'type': 'integer', 'minimum': 1}}},
         'evaluation_rules': [
           {'name': 'own_cap', 'deny_code': 'oap.limit_exceeded', 'message': 'Too many for us.',
            'condition': 'context.items <= %d'},
           {'name': 'cap', 'deny_code': 'oap.limit_exceeded', 'message': 'Too many items.',
            'condition': 'context.items <= limits.max_items'}]}
        """
            .formatted(id, most, most));
  }

  public static String agent(TestService service) {
    return Questions.hosted(
        service,
        service.org(),
        Calls.json(
            """
            {'agent_id': '%s', 'name': 'Stock clerk', 'status': 'active',
             'capabilities': [{'id': 'acme.stock.move'}],
             'limits': {'acme.stock.move': {'max_items': 50}}}
            """
                .formatted(Questions.freshAgent())));
  }

  public static Reply ask(Calls calls, String id, String agent, int items) {
    return calls.post(
        "/api/verify/policy/" + id,
        Calls.json("{'context': {'agent_id': '" + agent + "', 'items': " + items + "}}"));
  }
}
