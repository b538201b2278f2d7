// BoardSearch: which port the board is at: the one that is named, or the one that answers.

import BridgeLink

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds boards.
///
/// Nothing is ever written to a port that is not named, is in use, or whose USB id is not one of a
/// board or adapter that may have the firmware (`PortDescription.isCandidate`).
public enum BoardSearch {
    /// The environment variable that names a port.
    public static let portVariable = "BRIDGE_PORT"

    /// A port that was asked, and what came of it.
    public struct Answer {
        public var port: PortDescription
        /// The connected board, or why there is none: `TransportError` or `LinkEnd`.
        public var outcome: Result<HapticBoard, any Error>
    }

    /// Connects to the board at `port`, else at `BRIDGE_PORT`, else to the one that answers.
    ///
    /// - Parameters:
    ///   - port: a serial port or the pseudo-terminal of a virtual board.
    ///   - isWanted: asked all the time; once it is false, the search is given up.
    /// - Throws: `TransportError` or `LinkEnd` for a named port, else ``BoardSearchError``;
    ///   `CancellationError` if it was given up.
    public static func connect(
        port: String? = nil, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        if let path = port ?? environmentPort {
            return try HapticBoard(openPort(path), while: isWanted)
        }
        let ports = try PortList.all()
        let answers = probe(ports.filter(\.isCandidate), while: isWanted)
        return try choose(from: answers, among: ports)
    }

    /// The port that the environment names; nil if it names none.
    public static var environmentPort: String? {
        guard let value = getenv(portVariable), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Asks ports by HELLO, all at the same time, and waits for every answer.
    ///
    /// Ports that are in use or may not be opened are reported as such, not opened.
    ///
    /// - Parameter isWanted: asked all the time; once it is false, the ports that have not answered
    ///   have the outcome `CancellationError`.
    public static func probe(
        _ ports: [PortDescription], while isWanted: () -> Bool = { true }
    ) -> [Answer] {
        var attempts = ports.map(Attempt.init)
        while attempts.contains(where: { $0.outcome == nil }) {
            let goesOn = isWanted()
            for index in attempts.indices {
                if goesOn { attempts[index].step() } else { attempts[index].giveUp() }
            }
        }
        return attempts.map { Answer(port: $0.port, outcome: $0.outcome!) }
    }

    /// Keeps the only board among the answers; closes all others.
    private static func choose(from answers: [Answer], among ports: [PortDescription]) throws
        -> HapticBoard
    {
        let boards = answers.compactMap { try? $0.outcome.get() }
        if boards.count == 1 { return boards[0] }
        for board in boards { board.close() }
        for answer in answers {
            if case .failure(let error as CancellationError) = answer.outcome { throw error }
        }
        throw BoardSearchError(answers: answers, ports: ports)
    }
}

/// One port that is being asked.
private struct Attempt {
    let port: PortDescription
    private var link: Link?
    private(set) var outcome: Result<HapticBoard, any Error>?

    /// How long one port is looked at before the next one has its turn.
    private static let turn: Int64 = 5_000

    init(_ port: PortDescription) {
        self.port = port
        do {
            link = Link(try Self.open(port), timing: Self.timing)
        } catch {
            outcome = .failure(error)
        }
    }

    /// A board that resets when its port is opened boots for up to 2 s.
    private static var timing: LinkTiming {
        var timing = LinkTiming.standard
        timing.connectTimeout = 2_500_000
        return timing
    }

    private static func open(_ port: PortDescription) throws(TransportError) -> any Transport {
        switch port.access {
        case .free: try openPort(port.path)
        case .noPermission: throw .noPermission(path: port.path)
        case .locked(let holder): throw .busy(path: port.path, holder: holder)
        }
    }

    mutating func step() {
        guard outcome == nil, let link else { return }
        do {
            try link.run(until: Link.now() + Self.turn) { event in
                if case .ended(let end) = event { throw end }
                guard case .connected(let welcome) = event else { return false }
                outcome = .success(HapticBoard(link: link, welcome: welcome))
                return true
            }
        } catch {
            link.close()
            outcome = .failure(error)
        }
    }

    mutating func giveUp() {
        guard outcome == nil else { return }
        link?.close()
        outcome = .failure(CancellationError())
    }
}
