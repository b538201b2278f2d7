// PortEnvironment: the ports and the board list of a computer.

import BridgeLink
import POSIX
import SerialPorts

/// The computer on which a search runs: its ports, and the file of remembered boards.
package struct PortEnvironment: Sendable {
    package var system: PortSystem
    var memory: String

    package init(system: PortSystem = PortSystem(), memory: String = RememberedBoards.file) {
        (self.system, self.memory) = (system, memory)
    }

    /// Returns the serial ports of the computer, and indicates which of these ports a search opens.
    ///
    /// - Parameter openFiles: true if a program that has opened a port without locking it also
    ///   counts as a user of the port. Finding these programs takes time.
    package func ports(openFiles: Bool = true) throws(TransportError) -> SearchedPorts {
        SearchedPorts(
            all: try PortList.all(in: system, openFiles: openFiles),
            remembered: RememberedBoards(file: memory))
    }

    package func connect(
        port path: String?, searchesAdapters: Bool, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        if let path { return try connect(named: path, while: isWanted) }
        let ports = try ports()
        let searched = ports.searched(searchesAdapters: searchesAdapters)
        return try choose(from: probe(searched, while: isWanted), among: ports) { _ in true }
    }

    package func connect(
        serialNumber: String, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        let ports = try ports()
        let named = ports.all.filter { $0.usb?.serialNumber == serialNumber }
        if named.count == 1 { return try connect(named: named[0].path, while: isWanted) }
        throw BoardSearchError(named.isEmpty ? .noMatch : .severalAnswer, answers: [], ports: ports)
    }

    package func connect(
        boardID: UInt64, searchesAdapters: Bool, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        let ports = try ports()
        let searched = ports.searched(searchesAdapters: searchesAdapters)
        return try choose(from: probe(searched, while: isWanted), among: ports) {
            $0.welcome.boardID == boardID
        }
    }

    package func probe(
        _ ports: [PortDescription], while isWanted: () -> Bool = { true }
    ) -> [BoardSearch.Answer] {
        var attempts = ports.map { ConnectAttempt($0, on: system) }
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

    /// Remembers a port that a search would not open otherwise. Errors are ignored; after an error,
    /// the user must name the port again.
    private func remember(_ port: PortDescription) {
        guard !port.isBoard else { return }
        var boards = RememberedBoards(file: memory)
        try? boards.remember(port)
    }

    /// Returns the only matching board among the answers, and closes the connections to all other
    /// boards.
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
