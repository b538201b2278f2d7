// Tests of the host side of the lock-step protocol, with scripts and with the simulator.

import BridgeLink
import CBridgeProtocol
import Foundation
import TestSupport
import Testing
import VirtualBoard

@Suite struct LockStepBoardTests {
    private let folder = Folder()

    /// Returns a board whose simulator is a shell script.
    private func board(_ script: String) throws -> LockStepBoard {
        var simulator = BoardSimulator.atmega328p
        simulator.program = PackageFolder.url.appending(path: "Tests/ConformanceTests/run-image.sh")
        simulator.image = try folder.write("script", Data(script.utf8))
        return try LockStepBoard(simulator)
    }

    /// Returns a script that answers every `run` with `at`. Before the answer to the first `run`,
    /// the script prints the given lines.
    private func answering(_ lines: String) -> String {
        """
        lines='\(lines)'
        while read command cycle rest; do
            [ $command = run ] || continue
            [ -z "$lines" ] || echo "$lines"
            lines=
            echo at $cycle
        done
        """
    }

    @Test func theTimesOfTheSimulatorAreInCyclesAndMicroseconds() throws {
        let board = try board(
            answering(
                """
                reset 3 power
                clock 1600
                pin 3200 EN 1
                i2c 16010 17615 B40264 ack 100
                i2c 18000 18100 B4 nack 100
                i2c 18200 18300 B402 cut 100
                drive 17615 100
                tx 20000 4A
                overrun 20100
                framing 20200
                eeprom 20300 58 0B
                dtr 20400 on
                """))
        board.advance(to: 2_000)
        #expect(board.failure == nil)
        #expect(board.now == 2_000)
        #expect(board.trace.resets.map(\.cycle) == [3])
        #expect(board.trace.resets.map(\.cause) == [.power])
        #expect(board.trace.transactions[0].start == 16_010)
        #expect(board.trace.transactions[0].stop == 17_615)
        #expect(
            board.transactions[0]
                == BusTransaction(
                    start: 1_000, end: 1_100, actuator: 0, bytes: [0xB4, 0x02, 0x64],
                    isAcknowledged: true, drive: 100))
        #expect(board.transactions.map(\.isAcknowledged) == [true, false, false])
        #expect(board.transactions[2].bytes == [0xB4, 0x02])
        #expect(board.driveChanges == [DriveChange(time: 1_100, actuator: 0, drive: 100)])
        #expect(board.trace.enableEdges.map(\.cycle) == [3_200])
        #expect(board.isEnabled)
        #expect(board.trace.overruns == [20_100])
        #expect(board.trace.framingErrors == [20_200])
        #expect(board.trace.cellWrites.map(\.cycle) == [20_300])
        #expect(board.trace.cellWrites.map(\.address) == [58])
        #expect(board.trace.cellWrites.map(\.byte) == [0x0B])
        #expect(board.drainSent() == [SentByte(time: 1_250, byte: 0x4A)])
        #expect(board.drainSent().isEmpty)
        #expect(board.rawOutput.hasSuffix("dtr 20400 on\nat 32000\n"))
        board.forgetTrace()
        #expect(board.transactions.isEmpty)
        #expect(board.trace.resets.count == 1)
    }

    @Test func theDevicesClockRestartsWithEachStart() throws {
        let board = try board(answering("clock 1600\nclock 48001600"))
        board.advance(to: 10_000_000)
        let boot = UInt32(BRIDGE_CLOCK_AT_BOOT)
        #expect(board.deviceClock(at: 1_599) == nil)
        #expect(board.deviceClock(at: 1_600) == boot)
        #expect(board.deviceClock(at: 1_600 + 16 * 1_000 + 15) == boot &+ 1_000)
        #expect(board.deviceClock(at: 48_001_600) == boot)
        let later: Cycle = 48_001_600 + 70_000_000 * 16
        #expect(board.cycle(ofDeviceClock: boot &+ 70_000_000) == later, "after the wrap-around")
        #expect(board.traceTime(of: boot) == 3_000_100)
    }

    @Test(arguments: [
        ("echo 'image:3: no record' >&2; exit 66", "ended with status 66: image:3: no record"),
        ("read command; kill -SEGV $$", "was ended by signal 11"),
        ("read command; echo 'i2c 1 2 XY ack 0'; exit 70", "printed \"i2c 1 2 XY ack 0\""),
        ("read command; printf 'at 1'; exit 0", "ended with status 0"),
    ])
    func aSimulatorThatIsGoneIsAFailureAndNoWait(_ script: String, _ words: String) throws {
        let board = try board(script)
        var failures: [String] = []
        board.onFailure = { failures.append($0) }
        let link = IdealLink(board)
        #expect(!link.connect(limit: 100_000))
        #expect(board.failure?.contains(words) == true, "\(board.failure ?? "")")
        #expect(failures == [board.failure])
        #expect(board.now >= 100_000, "the time continues")
        #expect(board.peek(0x100, count: 4).isEmpty)
        #expect(board.stackBytes == 0)
    }

    @Test func aSimulatorThatCannotBeStartedIsAnErrorAndHarmsNothing() {
        var simulator = BoardSimulator.atmega328p
        simulator.program = folder.url.appending(path: "none")
        #expect(throws: (any Error).self) { try LockStepBoard(simulator) }
    }

    @Test func itEndsWithItsOwner() throws {
        let path = folder.path("end")
        try #require(mkfifo(path, 0o600) == 0)
        // The test reads end-of-file when the last process that can write to the pipe has ended.
        var board: LockStepBoard? = try board(
            "exec 3<>\(path); echo here >&3; \(answering("clock 16"))")
        board?.advance(to: 1)
        let pipe = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        board = nil
        let text = try pipe.readToEnd().map { String(decoding: $0, as: UTF8.self) }
        #expect(text == "here\n")
    }

    @Test(arguments: ConformanceBoard.lockStep.filter(\.runsImage))
    func theSimulatorLetsLookInside(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let board = try #require(rig.board as? LockStepBoard)
            let memory = board.simulator.line == .usb ? 0x2000_0100 : 0x100
            #expect(board.peek(memory, count: 4).count == 4)
            #expect((32...2_048).contains(board.stackBytes))
            #expect((1...board.cycle).contains(board.idleCycles))
            #expect(board.chipFindings.descriptions.isEmpty)
            #expect(board.trace.overruns.isEmpty)
            #expect(board.trace.framingErrors.isEmpty)
            #expect(board.trace.resets.map(\.cause) == [.power])
            let clock = try rig.link.status().clock
            let cycle = try #require(board.cycle(ofDeviceClock: clock))
            let answer = board.simulator.time(of: board.cycle - cycle)
            #expect((0...6_250).contains(answer), "the answer takes a few milliseconds")
            #expect(board.deviceClock(at: cycle) == clock)
        }
    }
}
