// PageVisitors: the connections of a server.

import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// The closures by which a server tells of its pages.
struct PageEvents: Sendable {
    let onOpen: @Sendable (PageConnection) -> Void
    let onMessage: @Sendable (PageConnection, String) -> Void
    let onClose: @Sendable (PageConnection) -> Void
}

/// Counts the connections of a server, and sets each one up.
final class PageVisitors: Sendable {
    private struct State {
        /// Nil until the port is known.
        var gate: RequestGate?
        var channels: [ObjectIdentifier: Channel] = [:]
        var lastID = 0
    }

    private let files: [String: PageFile]
    private let limits: PageLimits
    private let events: PageEvents
    private let state = Mutex(State())

    init(files: [String: [UInt8]], limits: PageLimits, events: PageEvents) {
        self.files = Dictionary(
            uniqueKeysWithValues: files.map { ($0, PageFile(name: $0, bytes: $1)) })
        self.limits = limits
        self.events = events
    }

    var count: Int { state.withLock { $0.channels.count } }

    /// Begins to let connections in.
    func open(_ gate: RequestGate) { state.withLock { $0.gate = gate } }

    /// Sets up a new connection.
    ///
    /// - Throws: `Refusal`, upon which the connection is closed, if there are too many.
    func admit(_ channel: Channel) throws {
        let key = ObjectIdentifier(channel)
        let gate = try state.withLock { state in
            guard let gate = state.gate, state.channels.count < limits.connections else {
                throw Refusal()
            }
            state.channels[key] = channel
            return gate
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: key) }
        }
        try answerRequests(on: channel, gate)
    }

    struct Refusal: Error {}

    func closeAll(on loop: EventLoop) -> EventLoopFuture<Void> {
        let channels = state.withLock { $0.channels.values.map { $0 } }
        for channel in channels { channel.close(promise: nil) }
        return EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: loop)
    }

    private func answerRequests(on channel: Channel, _ gate: RequestGate) throws {
        let requests = PageRequests(gate: gate, files: files, patience: limits.patience)
        let bound = NIOLoopBound(requests, eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: limits.message, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let isWanted = gate.verdict(on: head) == .socket
                return channel.eventLoop.makeSucceededFuture(isWanted ? PageFile.headers : nil)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try self.openSocket(on: channel) }
            })
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.head
        decoding.maxHeaderListSize = limits.head
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    context.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
                }
            ),
            withErrorHandling: false, withOutboundHeaderValidation: true,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoding)
        try pipeline.addHandler(requests)
    }

    private func openSocket(on channel: Channel) throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let socket = PageSocket(backlogMax: limits.backlog)
        let outlet = LoopOutlet(socket: NIOLoopBound(socket, eventLoop: channel.eventLoop))
        let page = PageConnection(id: id, outlet: outlet)
        let events = events
        socket.receive = { events.onMessage(page, $0) }
        socket.onClose = { events.onClose(page) }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            FrameRules(),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: limits.fragments,
                maxAccumulatedFrameSize: limits.message),
            socket,
        ])
        events.onOpen(page)
    }
}
