// BoardSearch: which port the board is at: the one that is named, or the one that answers.

import BridgeLink

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds boards, and leaves alone what may be something else: opening a port resets many devices.
///
/// A search opens a port only if its USB id is one of a board, or if a board has answered there before
/// (``RememberedBoards``). An adapter between USB and serial may have anything behind it, a printer or
/// an instrument: it is opened only if its port is named, or if the caller asks for adapters too. A port
/// that another program uses is never opened.
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
    ///   - searchesAdapters: whether ports are opened behind which there may be something else.
    ///   - isWanted: asked all the time; once it is false, the search is given up.
    /// - Throws: `TransportError` or `LinkEnd` for a named port, else ``BoardSearchError``;
    ///   `CancellationError` if it was given up.
    public static func connect(
        port: String? = nil, searchesAdapters: Bool = false, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        try Computer().connect(
            port: port ?? environmentPort, searchesAdapters: searchesAdapters, while: isWanted)
    }

    /// Connects to the board whose USB serial number is this one. Its port counts as named.
    ///
    /// - Throws: as ``connect(port:searchesAdapters:while:)``; ``BoardSearchError`` if there is no such
    ///   board or several.
    public static func connect(
        serialNumber: String, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        try Computer().connect(serialNumber: serialNumber, while: isWanted)
    }

    /// Connects to the board that answers with this id (WELCOME), which `bridge info` shows. All ports
    /// of a search are asked, at the same time.
    ///
    /// - Throws: as ``connect(port:searchesAdapters:while:)``; ``BoardSearchError`` if there is none.
    public static func connect(
        boardID: UInt64, searchesAdapters: Bool = false, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        try Computer().connect(
            boardID: boardID, searchesAdapters: searchesAdapters, while: isWanted)
    }

    /// The port that the environment names; nil if it names none.
    public static var environmentPort: String? {
        guard let value = getenv(portVariable), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Lists the serial ports of this computer, and which of them a search opens. Opens none.
    ///
    /// - Throws: `TransportError` if the system does not list any.
    public static func ports() throws(TransportError) -> SearchedPorts { try Computer().ports() }

    /// Asks ports by HELLO, all at the same time, and waits for every answer. Ports that answer as a
    /// board are remembered.
    ///
    /// Ports that are in use or may not be opened are reported as such, not opened.
    ///
    /// - Parameters:
    ///   - ports: those that are asked.
    ///   - isWanted: asked all the time; once it is false, the ports that have not answered
    ///     have the outcome `CancellationError`.
    public static func probe(
        _ ports: [PortDescription], while isWanted: () -> Bool = { true }
    ) -> [Answer] {
        Computer().probe(ports, while: isWanted)
    }
}

/// The serial ports of this computer, and which of them a search opens.
public struct SearchedPorts: Sendable {
    /// All of them, by path.
    public let all: [PortDescription]
    /// Where a board has answered before.
    public let remembered: RememberedBoards

    /// Whether a search opens a port.
    ///
    /// - Parameters:
    ///   - port: the port.
    ///   - searchesAdapters: whether it opens those of adapters too.
    public func isSearched(_ port: PortDescription, searchesAdapters: Bool = false) -> Bool {
        port.isBoard || remembered.contains(port) || searchesAdapters && port.isCandidate
    }

    /// Those that a search opens.
    public func searched(searchesAdapters: Bool = false) -> [PortDescription] {
        all.filter { isSearched($0, searchesAdapters: searchesAdapters) }
    }

    /// Adapters that are opened only if they are asked for.
    public var unopened: [PortDescription] { all.filter { $0.isCandidate && !isSearched($0) } }
}

/// The computer as a search sees it: its ports, and the file that remembers boards.
struct Computer: Sendable {
    var system = PortSystem()
    var memory = RememberedBoards.file

    func ports() throws(TransportError) -> SearchedPorts {
        SearchedPorts(
            all: try PortList.all(in: system), remembered: RememberedBoards(file: memory))
    }

    func connect(
        port path: String?, searchesAdapters: Bool, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        if let path { return try connect(named: path, while: isWanted) }
        let ports = try ports()
        let searched = ports.searched(searchesAdapters: searchesAdapters)
        return try choose(from: probe(searched, while: isWanted), among: ports) { _ in true }
    }

    func connect(
        serialNumber: String, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        let ports = try ports()
        let named = ports.all.filter { $0.usb?.serialNumber == serialNumber }
        if named.count == 1 { return try connect(named: named[0].path, while: isWanted) }
        throw BoardSearchError(named.isEmpty ? .noMatch : .severalAnswer, answers: [], ports: ports)
    }

    func connect(
        boardID: UInt64, searchesAdapters: Bool, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        let ports = try ports()
        let searched = ports.searched(searchesAdapters: searchesAdapters)
        return try choose(from: probe(searched, while: isWanted), among: ports) {
            $0.welcome.boardID == boardID
        }
    }

    func probe(
        _ ports: [PortDescription], while isWanted: () -> Bool = { true }
    ) -> [BoardSearch.Answer] {
        var attempts = ports.map { Attempt($0, on: system) }
        while attempts.contains(where: { $0.outcome == nil }) {
            let goesOn = isWanted()
            for index in attempts.indices {
                if goesOn { attempts[index].step() } else { attempts[index].giveUp() }
            }
        }
        for attempt in attempts {
            if case .success? = attempt.outcome { remember(attempt.port) }
        }
        return attempts.map { BoardSearch.Answer(port: $0.port, outcome: $0.outcome!) }
    }

    private func connect(
        named path: String, while isWanted: () -> Bool
    ) throws -> HapticBoard {
        let board = try HapticBoard(openPort(path), while: isWanted)
        if let port = PortList.port(at: path, in: system) { remember(port) }
        return board
    }

    /// Remembers a port that a search would not open otherwise. One that cannot be remembered has to be
    /// named again.
    private func remember(_ port: PortDescription) {
        guard !port.isBoard else { return }
        var boards = RememberedBoards(file: memory)
        try? boards.remember(port)
    }

    /// Keeps the only wanted board among the answers; closes all others.
    private func choose(
        from answers: [BoardSearch.Answer], among ports: SearchedPorts,
        where isWanted: (HapticBoard) -> Bool
    ) throws -> HapticBoard {
        let boards = answers.compactMap { try? $0.outcome.get() }
        let wanted = boards.filter(isWanted)
        if wanted.count == 1 {
            for board in boards where board !== wanted[0] { board.close() }
            return wanted[0]
        }
        for board in boards { board.close() }
        for answer in answers {
            if case .failure(let error as CancellationError) = answer.outcome { throw error }
        }
        let isOther = wanted.isEmpty && !boards.isEmpty
        throw BoardSearchError(isOther ? .noMatch : nil, answers: answers, ports: ports)
    }
}

/// One port that is being asked.
private struct Attempt {
    let port: PortDescription
    private let system: PortSystem
    private var link: Link?
    private(set) var outcome: Result<HapticBoard, any Error>?

    /// How long one port is looked at before the next one has its turn.
    private static let turn: Int64 = 5_000

    init(_ port: PortDescription, on system: PortSystem) {
        (self.port, self.system) = (port, system)
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
                outcome = .success(HapticBoard(link: link, welcome: welcome, system: system))
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
