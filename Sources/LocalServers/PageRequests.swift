// PageRequests: responds to the HTTP requests that arrive over one connection.

import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Responds to requests according to the verdict of the gate. A connection that does not send an
/// admitted request before the timeout is closed, even if it sends other bytes.
final class PageRequests: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let gate: any RequestGate
    private let files: [String: PageFile]
    private let patience: TimeAmount
    private let onAdmitted: (Channel) -> Void
    private let onUnauthorized: @Sendable (String) -> Void
    private var deadline: Scheduled<Void>?
    private var head: HTTPRequestHead?
    private var hasBody = false

    /// - Parameters:
    ///   - onAdmitted: a closure that is called, with the connection, for each admitted request.
    ///   - onUnauthorized: a closure that is called with the text of the verdict for each request
    ///     from a client that the user can authorize.
    init(
        gate: any RequestGate, files: [String: PageFile], patience: TimeAmount,
        onAdmitted: @escaping (Channel) -> Void,
        onUnauthorized: @escaping @Sendable (String) -> Void
    ) {
        self.gate = gate
        self.files = files
        self.patience = patience
        self.onAdmitted = onAdmitted
        self.onUnauthorized = onUnauthorized
    }

    func handlerAdded(context: ChannelHandlerContext) { expectRequest(on: context.channel) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    private func expectRequest(on channel: Channel) {
        deadline?.cancel()
        deadline = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            hasBody = false
        case .body: hasBody = true
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard !hasBody else {
            return refuse(.payloadTooLarge, "Requests must not have a body.", context)
        }
        switch gate.verdict(on: head) {
        case .file(let name):
            guard let file = files[name] else { return }
            admit(context.channel)
            respond(
                .ok, [("Content-Type", file.type)], file.bytes, isHead: head.method == .HEAD,
                isLast: !head.isKeepAlive, context)
        case .redirect(let location, let cookie):
            admit(context.channel)
            let headers = cookie.map { [("Set-Cookie", $0)] } ?? []
            respond(
                .seeOther, headers + [("Location", location)], [], isLast: !head.isKeepAlive,
                context)
        case .socket:
            refuse(.upgradeRequired, "A WebSocket of version 13 is required.", context)
        case .refusal(let status, let reason): refuse(status, reason, context)
        case .stranger(let text, let reason):
            onUnauthorized(text)
            refuse(.forbidden, reason, context)
        }
    }

    private func admit(_ channel: Channel) {
        onAdmitted(channel)
        expectRequest(on: channel)
    }

    /// Sends a refusal with the reason, and closes the connection.
    private func refuse(
        _ status: HTTPResponseStatus, _ reason: String, _ context: ChannelHandlerContext
    ) {
        var headers = [("Content-Type", "text/plain; charset=utf-8")]
        if status == .methodNotAllowed { headers.append(("Allow", "GET, HEAD")) }
        if status == .upgradeRequired {
            headers += [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
        }
        respond(status, headers, Array((reason + "\n").utf8), isLast: true, context)
    }

    private func respond(
        _ status: HTTPResponseStatus, _ headers: [(String, String)], _ body: [UInt8],
        isHead: Bool = false, isLast: Bool, _ context: ChannelHandlerContext
    ) {
        var all = PageFile.headers
        all.add(contentsOf: headers)
        all.add(name: "Content-Length", value: String(body.count))
        if isLast { all.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: all)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead && !body.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        let channel = context.channel
        if isLast { written.whenComplete { _ in channel.close(promise: nil) } }
    }

    func errorCaught(context: ChannelHandlerContext, error: Error) {
        // If NIO refuses an upgrade, it reports an error before it passes the request on. The
        // request is then answered like any other request.
        if error is NIOWebSocketUpgradeError || error is HTTPServerUpgradeErrors { return }
        guard let error = error as? HTTPParserError else {
            return context.close(promise: nil)
        }
        if error == .headerOverflow {
            refuse(.requestHeaderFieldsTooLarge, "The head of the request is too large.", context)
        } else {
            refuse(.badRequest, "This is not a valid HTTP request: \(error).", context)
        }
    }
}
