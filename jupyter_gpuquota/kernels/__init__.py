"""Kernels in sessions: for code that runs there while its notebook is here.

    server = SessionServer.find(context, session.id)          # the session runs
    kernel = attach(server, "here/analysis.ipynb")            # found, or started
    channels = kernel.channels()
    request = Message.new("shell", "execute_request", {"code": "1 + 1", …}, session=uuid4().hex)
    channels.send(request)
    while message := wait(channels, seconds=60):              # from any channel, as it comes
        if message.parent_id == request.id: … message.kind, message.read(), message.buffers
    kernel.interrupt()
    channels.close()                                          # the kernel goes on

- `messages`: `Message` (channel, the four encoded parts, buffers, idents), `Signer`.
- `channels.port`: `Channels` (`send`, `receive`, `sockets`, `close`), `wait`, `ChannelsLost`, which
  `receive` and `wait` raise once the kernel has ended or cannot be reached. Adapters:
  `channels.direct`, to a kernel's own sockets, and `channels.websocket`, to its session's server.
- `session_server`: `SessionServer.find(context, id)`, with `context` of a `Client`; its kernels.
- `attach`: `attach(server, path)` returns an `AttachedKernel` with `channels`, `interrupt`,
  `restart`, `shut_down`, `state`. All blocking; `Channels` are for one thread.
"""
