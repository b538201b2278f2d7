// Tests of the WebSocket of a page: attacks, and the messages that are sent to the page.

import Foundation
import TestSupport
import Testing

@testable import LocalServers

@Suite struct PageSocketTests {
    private func text(_ socket: RawConnection) -> String? {
        socket.readFrame().map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test func messagesArePassedOnInOrder() throws {
        let rig = try PageRig()
        let socket = try rig.socket()
        socket.send(frame(0x81, "one") + frame(0x81, "zwölf"))
        #expect(text(socket) == "echo one")
        #expect(text(socket) == "echo zwölf")
        #expect(rig.visits.soFar.opened.count == 1)
    }

    @Test func aMessageThatFollowsTheUpgradeAtOnceIsRead() throws {
        let rig = try PageRig()
        let connection = try rig.connection()
        let head = [
            "GET \(rig.socketPath) HTTP/1.1", "Host: \(rig.host)", try rig.cookie(),
            "Upgrade: websocket",
            "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        connection.send(
            Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + frame(0x81, "a"))
        rig.visits.once { $0.messages == ["a"] }
    }

    @Test(arguments: ["Sec-WebSocket-Version: 8", "Sec-WebSocket-Version: 13"])
    func anUpgradeWithoutKeyOrOfAnotherVersionIsRefused(version: String) throws {
        let rig = try PageRig()
        let response = try rig.request(
            "GET", rig.socketPath,
            [try rig.cookie(), "Upgrade: websocket", "Connection: Upgrade", version])
        #expect(response?.status == 426)
        #expect(rig.visits.soFar.opened.isEmpty)
    }

    @Test func fragmentsAreOneMessageAndAPingMayComeBetweenThem() throws {
        let rig = try PageRig()
        let socket = try rig.socket()
        let ping = frame(0x89, "still there?")
        socket.send(frame(0x01, "a") + ping + frame(0x00, "") + frame(0x80, "b"))
        let pong = try #require(socket.readFrame())
        #expect(pong.first == 0x8A && pong.payload == Array("still there?".utf8))
        #expect(text(socket) == "echo ab")
    }

    /// Bytes that a client must not send, and the status code with which the server closes the
    /// connection.
    struct Attack: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        let code: UInt16

        var testDescription: String { name }
    }

    private static let length62 = [0x81, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4] as [UInt8]
    private static let length63 = [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4] as [UInt8]
    private static let overLimit = [0x81, 0xFF, 0, 0, 0, 0, 0, 0x80, 0, 1, 1, 2, 3, 4] as [UInt8]
    private static let half = [UInt8](repeating: 0x61, count: 5 << 20)

    static let attacks = [
        Attack(name: "a frame of 2^62 bytes", bytes: length62, code: 1009),
        Attack(name: "a frame of 2^63 bytes", bytes: length63, code: 1009),
        Attack(name: "a frame of 8 MiB and 1 byte", bytes: overLimit, code: 1009),
        Attack(
            name: "10 MiB in two fragments", bytes: frame(0x01, half) + frame(0x80, half),
            code: 1009),
        Attack(
            name: "more fragments than are stored",
            bytes: frame(0x01, "") + (0..<(1 << 17)).flatMap { _ in frame(0x00, "") }, code: 1009),
        Attack(name: "no mask", bytes: frame(0x81, "a", masked: false), code: 1002),
        Attack(
            name: "a fragment without a mask",
            bytes: frame(0x01, "a") + frame(0x80, "b", masked: false), code: 1002),
        Attack(name: "a reserved bit", bytes: frame(0xC1, "a"), code: 1002),
        Attack(name: "an unknown opcode", bytes: frame(0x83, "a"), code: 1002),
        Attack(name: "an unknown control opcode", bytes: frame(0x8B, "a"), code: 1002),
        Attack(name: "a fragmented ping", bytes: frame(0x09, "a"), code: 1002),
        Attack(
            name: "a ping of 126 bytes", bytes: frame(0x89, String(repeating: "a", count: 126)),
            code: 1002),
        Attack(
            name: "a continuation without a first fragment", bytes: frame(0x80, "a"), code: 1002),
        Attack(
            name: "a message within a message", bytes: frame(0x01, "a") + frame(0x81, "b"),
            code: 1002),
        Attack(name: "text that is not UTF-8", bytes: frame(0x81, [0xC3, 0x28]), code: 1007),
        Attack(name: "a surrogate", bytes: frame(0x81, [0xED, 0xA0, 0x80]), code: 1007),
        Attack(name: "bytes", bytes: frame(0x82, [1, 2, 3]), code: 1003),
        Attack(name: "a close frame with one byte", bytes: frame(0x88, [3]), code: 1002),
        Attack(
            name: "a close frame with a reserved code", bytes: frame(0x88, [0x03, 0xED]), code: 1002
        ),
        Attack(
            name: "a close frame whose reason is not UTF-8",
            bytes: frame(0x88, [0x03, 0xE8, 0xFF]),
            code: 1007),
    ]

    @Test(arguments: attacks) func whatNoPageSendsEndsTheConnection(attack: Attack) throws {
        let rig = try PageRig()
        let socket = try rig.socket()
        socket.send(attack.bytes)
        #expect(socket.closing() == attack.code)
        #expect(rig.visits.soFar.messages.isEmpty)
        rig.visits.once { $0.closed.count == 1 }
    }

    @Test func aMessageOf8MiBIsPassedOn() throws {
        let rig = try PageRig()
        let socket = try rig.socket()
        socket.send(frame(0x81, [UInt8](repeating: 0x61, count: 8 << 20)))
        rig.visits.once { $0.messages.first?.utf8.count == 8 << 20 }
    }

    @Test(
        arguments: [[], [0x03, 0xE8], [0x03, 0xE9, 0x62, 0x79, 0x65], [0x0F, 0xA0]] as [[UInt8]])
    func aClosingIsAnsweredWithItsCode(payload: [UInt8]) throws {
        let rig = try PageRig()
        let socket = try rig.socket()
        socket.send(frame(0x88, payload))
        let code = payload.isEmpty ? 1000 : UInt16(payload[0]) << 8 | UInt16(payload[1])
        #expect(socket.closing() == code)
    }

    @Test func aPageThatVanishesIsReported() throws {
        let rig = try PageRig()
        var socket: RawConnection? = try rig.socket()
        rig.visits.once { $0.opened.count == 1 }
        #expect(socket != nil)
        socket = nil
        rig.visits.once { $0.closed.count == 1 }
        #expect(rig.visits.soFar.closed == rig.visits.soFar.opened)
    }

    // MARK: A slow page

    @Test func aSlowPageLosesPositionsButNoAnswer() throws {
        let rig = try PageRig()
        let socket = try rig.socket()
        let page = rig.visits.once { $0.opened.count == 1 }.opened[0]
        let answer = String(repeating: "a", count: 1000)
        let padding = String(repeating: "b", count: 90)
        // The page does not read yet, and the socket's buffers can store only part of this data.
        for number in 0..<100_000 {
            if number % 10 == 0 { page.send("\(number) \(answer)") }
            page.sendLatest("level \(number) \(padding)", of: "level")
        }
        page.send("end")
        page.waitUntilSent()
        var (answers, levels) = ([Int](), [Int]())
        while let text = text(socket), text != "end" {
            let words = text.split(separator: " ")
            if words[0] == "level" {
                levels.append(Int(words[1])!)
            } else {
                answers.append(Int(words[0])!)
            }
        }
        #expect(answers == Array(stride(from: 0, to: 100_000, by: 10)))
        #expect(levels == levels.sorted() && levels.count < 100_000)
        if levels.last != 99_999 { #expect(text(socket) == "level 99999 \(padding)") }
    }

    @Test func aPageThatReadsNothingIsDisconnected() throws {
        var limits = PageLimits()
        limits.backlog = 1 << 20
        let rig = try PageRig(limits: limits)
        let socket = try rig.socket()
        let page = rig.visits.once { $0.opened.count == 1 }.opened[0]
        let answer = String(repeating: "a", count: 1 << 16)
        for _ in 0..<1000 { page.send(answer) }
        rig.visits.once { $0.closed.count == 1 }
        #expect(socket.readToEnd() != nil)
    }
}

extension PageConnection {
    /// Waits until the server has processed all messages that were queued for sending before the
    /// call.
    fileprivate func waitUntilSent() {
        let isHandled = DispatchSemaphore(value: 0)
        (outlet as? LoopOutlet)?.socket.eventLoop.execute { isHandled.signal() }
        isHandled.wait()
    }
}
