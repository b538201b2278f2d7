// Tests of the control endpoint of a board with USB (USB 2.0 chapter 9, PSTN 1.2): valid requests,
// and requests that no host should send.

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite(
    .enabled(if: ConformanceBoard.simulatedPico.absence == nil, "the simulated Pico is not built"))
struct USBRequestTests {
    /// A request with the fields of its setup packet.
    struct Request: Sendable, CustomStringConvertible {
        var type: UInt8
        var request: UInt8
        var value: UInt16 = 0
        var index: UInt16 = 0
        var length: UInt16 = 0
        var data: [UInt8] = []

        var setup: [UInt8] {
            [type, request] + [value, index, length].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        }
        var description: String { "\(setup), \(data.count) bytes" }

        /// True if the host must not have a transfer in progress on the pipe that the request
        /// affects.
        var restartsPipes: Bool { type == 1 && request == 11 || type == 2 && request == 1 }

        static func clearHalt(_ endpoint: UInt16) -> Request {
            Request(type: 2, request: 1, index: endpoint)
        }
        static func setHalt(_ endpoint: UInt16) -> Request {
            Request(type: 2, request: 3, index: endpoint)
        }
        static func status(of endpoint: UInt16) -> Request {
            Request(type: 0x82, request: 0, index: endpoint, length: 2)
        }
        static func setConfiguration(_ number: UInt16) -> Request {
            Request(type: 0, request: 9, value: number)
        }
        static func setInterface(_ number: UInt16, setting: UInt16 = 0) -> Request {
            Request(type: 1, request: 11, value: setting, index: number)
        }
        static let deviceDescriptor = Request(type: 0x80, request: 6, value: 0x100, length: 18)
        static let openPort = Request(type: 0x21, request: 0x22, value: 1)
    }

    /// Sends a request and waits until it ends.
    private static func send(
        _ request: Request, to board: LockStepBoard, limit: BoardTime = 100_000
    ) -> USBRequestOutcome? {
        let before = board.trace.requests.count
        board.request(request.setup, data: request.data)
        let end = board.now + limit
        while board.trace.requests.count == before, board.now < end {
            board.advance(to: board.now + 500)
        }
        if board.trace.requests.count == before { board.cancelRequest() }
        return board.trace.requests.count > before ? board.trace.requests[before] : nil
    }

    private static let done = USBRequestOutcome(status: .done)
    private static let stalled = USBRequestOutcome(status: .stalled)

    private static func rig(_ revision: String = "b2") throws -> ImageRig {
        try ImageRig(.pico, options: ["--revision", revision])
    }

    /// Checks that a session can connect through the port, configure the actuator again, and play.
    private static func expectThatItWorks(_ rig: ImageRig) throws {
        rig.board.host(isHeld: false)
        #expect(send(.openPort, to: rig.board) == done)
        try rig.connect()
        try rig.play(200, for: 20_000)
        #expect(try rig.link.status().damagedFrames == 0)
    }

    private static let data = (out: UInt16(0x02), in: UInt16(0x82))
    private static let notifications: UInt16 = 0x81

    /// Checks requests that remove an endpoint's buffer from the controller, which otherwise always
    /// owns the buffer.
    @Test(arguments: ["b0", "b1", "b2"], [Self.data.out, Self.data.in, Self.notifications])
    func anEndpointIsHaltedAndRestarts(_ revision: String, _ endpoint: UInt16) throws {
        let rig = try Self.rig(revision)
        rig.board.host(isHeld: true)
        for _ in 0..<3 {
            #expect(Self.send(.setHalt(endpoint), to: rig.board) == Self.done)
            let halted = Self.send(.status(of: endpoint), to: rig.board)
            #expect(halted == USBRequestOutcome(status: .done, bytes: [1, 0]))
            #expect(Self.send(.clearHalt(endpoint), to: rig.board) == Self.done)
            let running = Self.send(.status(of: endpoint), to: rig.board)
            #expect(running == USBRequestOutcome(status: .done, bytes: [0, 0]))
        }
        #expect(Self.send(.clearHalt(endpoint), to: rig.board) == Self.done)
        try Self.expectThatItWorks(rig)
    }

    @Test(
        arguments: ["b0", "b1", "b2"],
        [
            [Request.setConfiguration(1)], [.setConfiguration(0), .setConfiguration(1)],
            [.setInterface(0)], [.setInterface(1)], [.clearHalt(0)], [.clearHalt(0x80)],
        ])
    func aConfigurationOrAnInterfaceRestarts(_ revision: String, _ requests: [Request]) throws {
        let rig = try Self.rig(revision)
        for _ in 0..<3 {
            rig.board.host(isHeld: true)
            for request in requests {
                #expect(Self.send(request, to: rig.board) == Self.done, "\(request)")
            }
            try Self.expectThatItWorks(rig)
        }
    }

    /// Checks requests with an invalid data stage, without a required data stage, or for a feature that
    /// the device does not have. If the device did not answer these requests, the host would wait
    /// until its timeout.
    @Test(arguments: [
        Request(type: 0x21, request: 0x20),
        Request(type: 0x21, request: 0x20, length: 6, data: [UInt8](repeating: 0, count: 6)),
        Request(type: 0x21, request: 0x20, length: 8, data: [UInt8](repeating: 0, count: 8)),
        Request(
            type: 0x21, request: 0x20, index: 1, length: 7,
            data: [UInt8](repeating: 0, count: 7)),
        Request(type: 0x21, request: 0x22, value: 1, length: 1, data: [0]),
        Request(type: 0x21, request: 0x22, value: 1, index: 0x81),
        Request(type: 0x21, request: 0x23, length: 2, data: [0, 0]),
        Request(type: 0xA1, request: 0x21, index: 1, length: 7),
        Request(type: 0x00, request: 9, value: 1, length: 1, data: [0]),
        Request(type: 0x00, request: 9, value: 2),
        Request(type: 0x01, request: 11, index: 1, length: 3, data: [0, 0, 0]),
        Request(type: 0x02, request: 1, index: 2, length: 1, data: [0]),
        Request(type: 0x81, request: 10, index: 2, length: 1),
        Request(type: 0x81, request: 0, index: 7, length: 2),
        Request(type: 0x82, request: 0, index: 3, length: 2),
        Request(type: 0x80, request: 6, value: 0x600, length: 10),
        .setHalt(0), .setHalt(3), .clearHalt(0x83), .setInterface(2), .setInterface(1, setting: 1),
    ])
    func whatIsNoRequestIsStalled(_ request: Request) throws {
        let rig = try Self.rig()
        #expect(Self.send(request, to: rig.board) == Self.stalled, "\(request)")
        let descriptor = Self.send(.deviceDescriptor, to: rig.board)
        #expect(descriptor?.bytes.count == 18)
        try rig.play(200, for: 20_000)
    }

    /// Checks arbitrary requests. The host cancels half of the requests at a random time, and
    /// serves the other endpoints only in some cases. The device must answer every request, and
    /// must work at the end.
    @Test(arguments: ["b1", "b2"], Proof.thinned(0..<5 as Range<UInt64>, every: 5))
    func aStormOfRequestsIsSurvived(_ revision: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rig = try Self.rig(revision)
        for number in 0..<(Proof.isComplete ? 10_000 : 1_000) {
            let request = Self.any(&random)
            if request.restartsPipes {
                rig.board.host(isHeld: true)
                #expect(Self.send(request, to: rig.board) != nil, "\(number): \(request)")
                rig.board.host(isHeld: false)
            } else if Bool.random(using: &random) {
                rig.board.request(request.setup, data: request.data)
                rig.board.advance(to: rig.board.now + .random(in: 0...3_000, using: &random))
                rig.board.cancelRequest()
            } else {
                let outcome = Self.send(request, to: rig.board)
                #expect(outcome != nil && outcome?.status != .failed, "\(number): \(request)")
            }
            if number % 25 == 0 {
                let descriptor = Self.send(.deviceDescriptor, to: rig.board)
                guard descriptor?.bytes.count == 18 else {
                    Issue.record(
                        "\(number), after \(request): \(descriptor.map { "\($0)" } ?? "no answer"), \(rig.board.failure ?? "")"
                    )
                    return
                }
                rig.board.forgetTrace()
            }
        }
        rig.board.host(isHeld: true)
        #expect(Self.send(.setConfiguration(1), to: rig.board) == Self.done)
        try Self.expectThatItWorks(rig)
    }

    /// Returns a random request other than those that make the port unusable: a change of the
    /// address or the configuration, and a halt.
    private static func any(_ random: inout SeededGenerator) -> Request {
        func one<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
        let any = UInt16.random(in: 0...UInt16.max, using: &random)
        while true {
            var request = Request(
                type: one([0x80, 0x80, 0x21, 0xA1, 0, 2, 0x82, 0x81, 1, 0x40, 0xC0]),
                request: one([0, 1, 3, 5, 6, 6, 6, 7, 8, 9, 10, 11, 12, 0x20, 0x21, 0x22, 0x23]),
                value: one([0, 1, 0x100, 0x200, 0x300, 0x301, 0x302, 0x303, 0x600, 0x700, any]),
                index: one([0, 1, 0x81, 2, 0x82, 0x409, any]))
            if request.type & 0x80 != 0 {
                request.length = one([0, 1, 2, 7, 8, 9, 18, 63, 64, 65, 75, 128, 255, 1024])
            } else {
                let count = one([0, 0, 1, 6, 7, 8, 63, 64, 65, 200])
                request.data = (0..<count).map { _ in .random(in: 0...255, using: &random) }
                request.length = UInt16(count)
            }
            let isExcluded =
                request.type == 0 && [5, 9].contains(request.request)
                || request.type == 2 && request.request == 3
            if !isExcluded { return request }
        }
    }
}
