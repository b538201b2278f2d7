// AcceptedConnections: the connections of a server.

import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// The closures with which a server reports the events of its pages.
struct PageEvents: Sendable {
    let onOpen: @Sendable (PageConnection) -> Void
    let onMessage: @Sendable (PageConnection, String) -> Void
    let onClose: @Sendable (PageConnection) -> Void
    let onUnauthorized: @Sendable (String) -> Void
}

/// Counts the connections of a server, and sets them up.
final class AcceptedConnections: Sendable {
    private struct Connection {
        let channel: Channel
        /// True if the connection has sent an admitted request.
        var isAdmitted = false
    }

    private struct State {
        /// The rules for requests; nil until the port of the server is known.
        var gate: (any RequestGate)?
        /// The connections, oldest first.
        var connections: [Connection] = []
        var lastID = 0

        func index(of channel: Channel) -> Int? {
            connections.firstIndex { $0.channel === channel }
        }

        /// Adds a connection. If the maximum number of connections has been reached, removes and
        /// returns the oldest connection that has not sent an admitted request. The connection of a
        /// page is not removed, because pages send their request immediately.
        mutating func add(_ channel: Channel, atMost most: Int) throws -> Channel? {
            var crowdedOut: Channel?
            if connections.count >= most {
                guard let index = connections.firstIndex(where: { !$0.isAdmitted }) else {
                    throw Refusal()
                }
                crowdedOut = connections.remove(at: index).channel
            }
            connections.append(Connection(channel: channel))
            return crowdedOut
        }
    }

    private let files: [String: PageFile]
    private let limits: PageLimits
    private let events: PageEvents
    private let state = Mutex(State())

    init(files: [String: [UInt8]] = [:], limits: PageLimits, events: PageEvents) {
        self.files = Dictionary(
            uniqueKeysWithValues: files.map { ($0, PageFile(name: $0, bytes: $1)) })
        self.limits = limits
        self.events = events
    }

    var count: Int { state.withLock { $0.connections.count } }

    /// Starts accepting connections.
    func open(_ gate: any RequestGate) { state.withLock { $0.gate = gate } }

    /// Sets up a new connection.
    ///
    /// - Throws: `Refusal` if the server does not accept connections yet, or if the maximum number
    ///   of admitted connections has been reached. The new connection is then closed.
    func admit(_ channel: Channel) throws {
        let (gate, crowdedOut) = try state.withLock { state in
            guard let gate = state.gate else { throw Refusal() }
            return (gate, try state.add(channel, atMost: limits.connections))
        }
        crowdedOut?.close(promise: nil)
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                if let index = state.index(of: channel) { state.connections.remove(at: index) }
            }
        }
        try answerRequests(on: channel, gate)
    }

    /// Records that a connection has sent an admitted request.
    private func recordAdmitted(_ channel: Channel) {
        state.withLock { state in
            if let index = state.index(of: channel) { state.connections[index].isAdmitted = true }
        }
    }

    struct Refusal: Error {}

    func closeAll(on loop: EventLoop) -> EventLoopFuture<Void> {
        let channels = state.withLock { $0.connections.map(\.channel) }
        for channel in channels { channel.close(promise: nil) }
        return EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: loop)
    }

    private func answerRequests(on channel: Channel, _ gate: any RequestGate) throws {
        let requests = PageRequests(
            gate: gate, files: files, patience: limits.patience, onAdmitted: recordAdmitted,
            onUnauthorized: events.onUnauthorized)
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
        recordAdmitted(channel)
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let socket = PageSocket(limits)
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
