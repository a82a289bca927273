package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.rpc.MessageMemory;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A body whose bytes take their room as they arrive. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> body;
  private final MessageMemory.Part held;
  private Flow.@Nullable Subscription subscription;
  private boolean isOver;

  BoundedBody(BodySubscriber<byte[]> body, MessageMemory.Part held) {
    this.body = body;
    this.held = held;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    body.onSubscribe(given);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (isOver) {
      return;
    }
    // Twice: the parts are joined at the end.
    if (held.take(2L * buffers.stream().mapToInt(ByteBuffer::remaining).sum())) {
      body.onNext(buffers);
      return;
    }
    isOver = true;
    if (subscription != null) {
      subscription.cancel();
    }
    body.onError(new MessageMemory.Exhausted());
  }

  @Override
  public void onError(Throwable fault) {
    if (!isOver) {
      body.onError(fault);
    }
  }

  @Override
  public void onComplete() {
    if (!isOver) {
      body.onComplete();
    }
  }
}
