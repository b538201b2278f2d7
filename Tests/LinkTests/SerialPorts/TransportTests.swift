import POSIX
import TestSupport
import Testing

@testable import BridgeLink
@testable import SerialPorts

extension Microseconds {
    /// The timeout of a read. An event must end the read much earlier.
    static var hour: Self { 3_600_000_000 }
}

@Suite struct PseudoTerminalTests {
    @Test func carriesEveryByteBothWays() throws {
        let board = BoardEnd()
        let terminal = try PseudoTerminal(path: board.path)
        let bytes = (0...255 as ClosedRange<UInt8>).map { $0 }
        #expect(try terminal.write(bytes) == 256)
        #expect(board.read(256) == bytes)
        board.write(bytes)
        var found: [UInt8] = []
        while found.count < 256 {
            let portion = try terminal.read(upTo: 100, timeout: .hour)
            if portion.isEmpty { break }
            found += portion
        }
        #expect(found == bytes)
    }

    @Test func aSecondOpenIsRefusedAsBusy() throws {
        let board = BoardEnd()
        let terminal = try PseudoTerminal(path: board.path)
        let error = #expect(throws: TransportError.self) { try PseudoTerminal(path: board.path) }
        guard case .busy(board.path, let holder) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #if os(Linux)
            #expect(holder == "this program itself")
            #expect(PortList.access(to: board.path) == .free, "no other process uses the port")
        #endif
        terminal.close()
        let again = try PseudoTerminal(path: board.path)
        #expect(try again.write([1]) == 1)
    }

    #if os(Linux)
        @Test func programsThatAreStartedDoNotGetIt() throws {
            let board = BoardEnd()
            let terminal = try PseudoTerminal(path: board.path)
            let eventSignal = try EventSignal()
            defer { withExtendedLifetime((terminal, eventSignal)) {} }
            let inherited = inheritedFiles()
            #expect(inherited.contains("->"), "the child lists its own files")
            #expect(!inherited.contains("\(board.path)\n"))
            let end = try #require(
                SystemFile.destination(of: "/proc/self/fd/\(eventSignal.request.fd)"))
            #expect(end.hasPrefix("pipe:") && !inherited.contains("\(end)\n"))
        }

        /// Returns the open files of a program that this process starts.
        private func inheritedFiles() -> String {
            guard let list = popen("ls -l /proc/self/fd", "r") else { return "" }
            defer { pclose(list) }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = fread(&bytes, 1, bytes.count, list)
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }

        @Test func aPortStaysReservedWhileItsLockIsHandedOver() throws {
            let board = BoardEnd()
            let hold = try PortHold(path: board.path)
            hold.unlock()
            let error = #expect(throws: TransportError.self) { try PortHold(path: board.path) }
            guard case .busy? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            hold.close()
            try PortHold(path: board.path).release()
        }
    #endif

    @Test func aBoardThatHangsUpIsUnplugged() throws {
        var board: BoardEnd? = BoardEnd()
        let path = board!.path
        let terminal = try PseudoTerminal(path: path)
        board = nil
        #expect(throws: TransportError.unplugged(path: path)) {
            try terminal.read(upTo: 10, timeout: .hour)
        }
        #expect(throws: TransportError.unplugged(path: path)) { try terminal.write([1]) }
    }

    @Test func doesNotHangUpOnClose() throws {
        let board = BoardEnd()
        let terminal = try PseudoTerminal(path: board.path)
        var settings = termios()
        #expect(tcgetattr(board.descriptor, &settings) == 0)
        #expect(settings.c_cflag & tcflag_t(HUPCL) == 0)
        #expect(settings.c_lflag & tcflag_t(ICANON | ECHO) == 0)
        terminal.close()
    }
}

@Suite struct OpenPortTests {
    @Test func aMissingPathIsNotFound() {
        let path = "/dev/ttyHapticBridge0"
        #expect(throws: TransportError.notFound(path: path)) { try openPort(path) }
        #expect(throws: TransportError.notFound(path: path)) { try SerialPort(path: path) }
        #expect(throws: TransportError.notFound(path: path)) { try PseudoTerminal(path: path) }
    }

    @Test(arguments: ["/", "/dev/null", #filePath])
    func whatIsNoTerminalIsNotAPort(_ path: String) {
        #expect(throws: TransportError.notAPort(path: path)) { try openPort(path) }
        #expect(throws: TransportError.notAPort(path: path)) { try SerialPort(path: path) }
    }

    @Test func aPseudoTerminalIsOpened() throws {
        let board = BoardEnd()
        let port = try openPort(board.path)
        #expect(port is PseudoTerminal && port.path == board.path)
    }

    @Test func errorsHaveAdvice() {
        let path = "/dev/ttyACM0"
        #expect("\(TransportError.noPermission(path: path))".contains("dialout"))
        #expect("\(TransportError.busy(path: path, holder: nil))".contains("fuser /dev/ttyACM0"))
        #expect(
            "\(TransportError.busy(path: path, holder: "avrdude (process 7)"))"
                == "/dev/ttyACM0: in use by avrdude (process 7)")
        #expect(TransportError(code: EIO, path: path, operation: "") == .unplugged(path: path))
        #expect(
            TransportError(code: EACCES, path: path, operation: "") == .noPermission(path: path))
        #expect(
            TransportError(code: EBUSY, path: path, operation: "") == .busy(path: path, holder: nil)
        )
    }
}

/// A transport whose bytes the operating system does not send, or sends a few at a time, whenever
/// the number of unsent bytes is queried.
private final class SlowTransport: Transport {
    let path = "slow"
    var eventSignal: EventSignal?
    var sentPerLook = 0
    private(set) var unsent = 0
    private(set) var unsentMax = 0
    private(set) var written: [UInt8] = []

    func read(upTo count: Int, timeout: Microseconds) -> [UInt8] { [] }

    func write(_ bytes: [UInt8]) -> Int {
        let count = min(bytes.count, 7)  // the system may accept fewer bytes than requested
        unsent += count
        unsentMax = max(unsentMax, unsent)
        written += bytes.prefix(count)
        return count
    }

    func unsentCount() -> Int {
        unsent = max(0, unsent - sentPerLook)
        return unsent
    }

    func close() {}
}

@Suite struct LinkTests {
    @Test func neverMoreThan128BytesAreUnsent() throws {
        let transport = SlowTransport()
        var timing = LinkTiming()
        timing.helloInterval = 0
        let link = Link(transport, sessionID: 1, timing: timing)
        for _ in 0..<200 { try link.step(until: 0) }
        #expect((100...128).contains(transport.unsentMax))
        transport.sentPerLook = 5
        for _ in 0..<500 { try link.step(until: 0) }
        #expect(transport.unsentMax <= 128)
        var decoder = FrameDecoder(session: 0)
        #expect(decoder.receive(transport.written).count > 20)
        #expect(decoder.damagedFrames == 0)
    }
}
