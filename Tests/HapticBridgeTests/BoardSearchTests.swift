// Tests of the search for boards in a tree of ports with virtual boards. Each test checks which
// ports the search opens.

#if os(Linux)
    import SerialPorts
    import Foundation
    import TestSupport
    import Testing

    @testable import HapticBoards
    @testable import HapticBridge

    @Suite(.virtualTime) struct BoardSearchTests {
        private let tree: PortTree
        private let computer: PortEnvironment

        init() throws {
            tree = try PortTree()
            computer = PortEnvironment(
                system: tree.system, memory: tree.folder.path("state/boards"))
        }

        /// Adds a port with a virtual board to the tree.
        private func plugIn(
            _ name: String, _ usb: PortTree.USB, socket: String = "1-1", _ options: String...
        ) throws -> LiveBoard {
            let board = try LiveBoard(options: options)
            try tree.plugIn(name, usb, socket: socket, leadingTo: board.port)
            return board
        }

        private func search(adapters: Bool = false) throws -> String {
            let board = try computer.connect(port: nil, searchesAdapters: adapters)
            defer { board.close() }
            return board.path
        }

        private func isPlayable() -> Bool { BoardCapability.present(on: computer).supportsHaptics }

        // MARK: Boards and adapters

        @Test func aBoardWithAUSBIdOfItsOwnIsFound() throws {
            let board = try plugIn("ttyACM0", .uno)
            #expect(isPlayable())
            #expect(try search() == tree.path("ttyACM0"))
            withExtendedLifetime(board) {}
        }

        @Test func anAdapterIsNotOpenedUnasked() throws {
            let board = try plugIn("ttyUSB0", .adapter)
            #expect(!isPlayable())
            let error = #expect(throws: BoardSearchError.self) { try search() }
            #expect(!board.wasOpened)
            #expect(error?.reason == .noCandidate)
            #expect(error?.unopened.map(\.path) == [tree.path("ttyUSB0")])
            let text = "\(try #require(error))"
            #expect(text.contains("ttyUSB0 (CH340") && text.contains("not opened"))
            #expect(text.contains("--port") && text.contains("--search-adapters"))
            #expect(try search(adapters: true) == tree.path("ttyUSB0"))
            #expect(board.wasOpened)
        }

        @Test func generatorsOpenNoAdapter() throws {
            let board = try plugIn("ttyUSB0", .adapter)
            let engine = HapticEngine.forFeedback(on: .automatic(on: computer))
            ImpactFeedbackGenerator(style: .heavy, engine: engine).impactOccurred()
            #expect(wait(seconds: 600) { engine.feedback.hasFailed })
            #expect(!board.wasOpened)
        }

        // MARK: Stored boards

        @Test func aBoardThatWasNamedOnceIsFoundFromThenOn() throws {
            let board = try plugIn("ttyUSB0", .adapter)
            try computer.connect(port: tree.path("ttyUSB0"), searchesAdapters: false).close()
            #expect(isPlayable())
            #expect(try search() == tree.path("ttyUSB0"))
            let file = try String(contentsOfFile: computer.memory, encoding: .utf8)
            #expect(file.contains("\nusb 1a86:7523 interface 00 at pci0000:00/usb1/1-1/1-1:1.0\n"))
            try tree.unplug("ttyUSB0")
            try tree.plugIn("ttyUSB0", .adapter, socket: "1-2", leadingTo: board.port)
            #expect(throws: BoardSearchError.self, "another adapter") { try search() }
        }

        @Test func aSerialNumberIsKnownAtAnySocket() throws {
            let usb = PortTree.USB("0403", "6001", serialNumber: "A50285BI")
            let board = try plugIn("ttyUSB0", usb)
            #expect(try search(adapters: true) == tree.path("ttyUSB0"))
            try tree.unplug("ttyUSB0")
            try tree.plugIn("ttyUSB5", usb, socket: "1-2", leadingTo: board.port)
            #expect(try search() == tree.path("ttyUSB5"))
        }

        @Test(arguments: [Data("{ }\n".utf8), Data([0xFF, 0xFE, 0, 0])])
        func aDamagedFileIsIgnoredWithANoteAndReplaced(_ bytes: Data) throws {
            let board = try plugIn("ttyUSB0", .adapter)
            try tree.write("state/boards", "")
            try bytes.write(to: URL(fileURLWithPath: computer.memory))
            let error = #expect(throws: BoardSearchError.self) { try search() }
            #expect(error?.findings.last?.hasPrefix(computer.memory) == true)
            #expect(try search(adapters: true) == tree.path("ttyUSB0"))
            #expect(RememberedBoards(file: computer.memory).note == nil)
            #expect(try search() == tree.path("ttyUSB0"))
            withExtendedLifetime(board) {}
        }

        @Test func aNamedPortMustBeOneThatNobodyElseUses() throws {
            let board = try LiveBoard()
            func isPlayable(at path: String) -> Bool {
                BoardCapability.present(on: computer, named: path).supportsHaptics
            }
            #expect(isPlayable(at: board.port))
            #expect(!isPlayable(at: "/dev/ttyHapticBridge0") && !isPlayable(at: #filePath))
            let name = try #require(board.port.split(separator: "/").last)
            try tree.write("var/lock/LCK..\(name)", "1")
            #expect(!isPlayable(at: board.port))
        }

        // MARK: Ports used by other programs

        @Test func aBoardThatAnotherProgramUsesIsLeftAlone() throws {
            let board = try plugIn("ttyACM0", .uno)
            try tree.write("var/lock/LCK..\(board.port.split(separator: "/").last!)", "1")
            #expect(!isPlayable())
            let error = #expect(throws: BoardSearchError.self) { try search() }
            #expect(error?.reason == .busy && !board.wasOpened)
            #expect(error?.findings.first?.contains("in use by process 1, according to") == true)
        }

        // MARK: Selecting a board

        @Test func aBoardIsChosenByItsSerialNumberOrItsID() throws {
            var other = PortTree.USB.uno
            other.serialNumber = "12345"
            let boards = [
                try plugIn("ttyACM0", .uno, "--id", "a1"),
                try plugIn("ttyACM1", other, socket: "1-2", "--id", "b2"),
            ]
            let error = #expect(throws: BoardSearchError.self) { try search() }
            #expect(error?.reason == .severalAnswer)
            let bySerial = try computer.connect(serialNumber: "12345")
            #expect(bySerial.path == tree.path("ttyACM1"))
            bySerial.close()
            let byID = try computer.connect(boardID: 0xA1, searchesAdapters: false)
            #expect(byID.path == tree.path("ttyACM0"))
            byID.close()
            let absent = #expect(throws: BoardSearchError.self) {
                try computer.connect(boardID: 0xC3, searchesAdapters: false)
            }
            #expect(absent?.reason == .noMatch)
            withExtendedLifetime(boards) {}
        }

        // MARK: Boards that appear and disappear

        @Test func anotherAdapterThatComesAtTheSamePathIsNotOpened() throws {
            let usb = PortTree.USB("0403", "6001", serialNumber: "A50285BI")
            let live = try plugIn("ttyUSB0", usb)
            let board = try computer.connect(port: nil, searchesAdapters: true)
            defer { board.close() }
            try tree.unplug("ttyUSB0")
            _ = live.end()
            let stranger = try plugIn("ttyUSB0", .adapter, socket: "1-2")
            #expect(throws: TransportError.notFound(path: tree.path("ttyUSB0"))) {
                try board.reconnect(within: .milliseconds(100))
            }
            #expect(!stranger.wasOpened)
            try tree.unplug("ttyUSB0")
            try tree.plugIn("ttyUSB0", usb, socket: "1-3", leadingTo: stranger.port)
            try board.reconnect()
            #expect(stranger.wasOpened)
        }

        @Test func boardsThatComeAndGoAreReported() async throws {
            try tree.plugIn("ttyACM0", .uno, leadingTo: "/dev/full")
            var changes = HapticDevice.changes(on: computer).makeAsyncIterator()
            guard case .added(let first)? = await changes.next() else {
                Issue.record("the connected board is not reported first")
                return
            }
            #expect(first.path == tree.path("ttyACM0"))
            try tree.plugIn("ttyUSB0", .adapter, socket: "1-3", leadingTo: "/dev/full")
            var other = PortTree.USB.uno
            other.serialNumber = "12345"
            try tree.plugIn("ttyACM1", other, socket: "1-2", leadingTo: "/dev/full")
            guard case .added(let second)? = await changes.next() else {
                Issue.record("the new board is not reported")
                return
            }
            #expect(second.path == tree.path("ttyACM1") && second.usb?.serialNumber == "12345")
            try tree.unplug("ttyACM0")
            #expect(await changes.next() == .removed(first))
        }
    }
#endif
