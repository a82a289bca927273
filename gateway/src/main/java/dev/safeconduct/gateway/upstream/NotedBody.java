package dev.safeconduct.gateway.upstream;

import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/**
 * The body of a request.
 *
 * @param onHandedOver runs when the connection has all of it, after the head
 */
record NotedBody(BodyPublisher body, Runnable onHandedOver) implements BodyPublisher {
  @Override
  public long contentLength() {
    return body.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> connection) {
    body.subscribe(
        new Flow.Subscriber<ByteBuffer>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            connection.onSubscribe(subscription);
          }

          @Override
          public void onNext(ByteBuffer part) {
            connection.onNext(part);
          }

          @Override
          public void onError(Throwable fault) {
            connection.onError(fault);
          }

          @Override
          public void onComplete() {
            connection.onComplete();
            onHandedOver.run();
          }
        });
  }
}
