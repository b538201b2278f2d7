// Tests of the connection between a page's WebSocket and a stream socket of this process.

import BridgeLink
import Foundation
import POSIX
import SerialPorts
import TestSupport
import Testing

@testable import LocalServers

/// A server whose pages are connected to stream sockets.
private final class PipeRig: @unchecked Sendable {
    private(set) var server: LocalSocketServer!
    private let ends = LockedValue<[Int32]>([])

    init() throws {
        server = try LocalSocketServer(
            port: 0, origins: [], messageMax: 1 << 16, tooLarge: "too large",
            onOpen: { [ends] page in
                guard let (own, other) = LocalAddress.makePair() else { return page.close() }
                page.join(other)
                ends.withLock { $0.append(own) }
            },
            onStranger: { _ in })
    }

    deinit {
        server.close()
        for end in ends.withLock({ $0 }) { close(end) }
    }

    /// Opens a page. Returns the connection of the page, and the other end of its stream socket.
    func page() throws -> (connection: RawConnection, end: Int32) {
        let connection = try #require(RawConnection(port: server.port))
        let lines = [
            "GET / HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        let before = ends.withLock { $0.count }
        connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        #expect(connection.readHead().hasPrefix("HTTP/1.1 101"))
        #expect(wait { ends.withLock { $0.count } > before })
        return (connection, ends.withLock { $0.last! })
    }
}

/// Waits for the given number of bytes. Returns fewer bytes at the end of the stream.
private func read(_ count: Int, from end: Int32) -> [UInt8] {
    var all: [UInt8] = []
    _ = wait(seconds: 20) {
        var bytes = [UInt8](repeating: 0, count: count - all.count)
        let got = recv(end, &bytes, bytes.count, 0)
        all += bytes.prefix(max(0, got))
        return all.count == count || got == 0
    }
    return all
}

private func framed(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array(text.utf8)
}

/// Sends messages until the stream accepts no more messages. Returns their number.
private func fill(_ end: Int32, with message: [UInt8]) -> Int {
    var sent = 0
    var idleSince = Link.now()
    while Link.now() - idleSince < 300_000, sent < 64 << 20 {
        let rest = message.count - sent % message.count
        let count = LocalAddress.send(Array(message.suffix(rest)), to: end)
        if count > 0 {
            sent += count
            idleSince = Link.now()
        } else {
            usleep(1_000)
        }
    }
    return sent
}

@Suite(.serialized) struct SocketPipeTests {
    @Test func messagesPassInBothDirections() throws {
        let rig = try PipeRig()
        let (page, end) = try rig.page()
        page.send(frame(0x81, "one") + frame(0x81, "zwölf"))
        let expected = framed("one") + framed("zwölf")
        #expect(read(expected.count, from: end) == expected)
        _ = LocalAddress.send(framed("a") + framed("") + framed("bc").dropLast(), to: end)
        #expect(page.readFrame()?.payload == Array("a".utf8))
        #expect(page.readFrame()?.payload.isEmpty == true)
        _ = LocalAddress.send(Array("c".utf8), to: end)
        #expect(page.readFrame()?.payload == Array("bc".utf8))
    }

    @Test func eachEndClosesTheOther() throws {
        let rig = try PipeRig()
        do {
            let (_, end) = try rig.page()
            // The connection is closed when the object is released.
            #expect(read(1, from: end).isEmpty)
        }
        let (page, end) = try rig.page()
        _ = LocalAddress.send(framed("last"), to: end)
        shutdown(end, Int32(SHUT_RDWR))
        #expect(page.readFrame()?.payload == Array("last".utf8))
        #expect(page.closing() == 1000)
    }

    @Test func aPageThatDoesNotReadHoldsUpItsOwnStreamOnly() throws {
        let rig = try PipeRig()
        let (deaf, end) = try rig.page()
        let message = framed(String(repeating: "x", count: 60_000))
        let sent = fill(end, with: message)
        #expect(sent < 16 << 20, "\(sent) bytes were accepted")
        let (other, otherEnd) = try rig.page()
        other.send(frame(0x81, "hello"))
        #expect(read(9, from: otherEnd) == framed("hello"))
        // When the page reads, it receives everything in order.
        for _ in 0..<sent / message.count {
            #expect(deaf.readFrame()?.payload.count == 60_000)
        }
    }

    @Test func aPageThatSendsTooFastHasToWaitAndLosesNothing() throws {
        let rig = try PipeRig()
        let (page, end) = try rig.page()
        let text = String(repeating: "y", count: 60_000)
        let count = 400
        let hasSent = LockedValue(false)
        nonisolated(unsafe) let fast = page
        Thread.detachNewThread {
            for _ in 0..<count { fast.send(frame(0x81, Array(text.utf8))) }
            hasSent.withLock { $0 = true }
        }
        usleep(500_000)
        #expect(!hasSent.withLock { $0 }, "the server has read 24 MB that no program reads")
        let (other, otherEnd) = try rig.page()
        other.send(frame(0x81, "hello"))
        #expect(read(9, from: otherEnd) == framed("hello"))
        for _ in 0..<count { #expect(read(60_004, from: end) == framed(text)) }
    }

    @Test func aTextThatIsTooLargeIsAnsweredAndEndsTheConnection() throws {
        let rig = try PipeRig()
        let (page, end) = try rig.page()
        page.send(frame(0x81, [UInt8](repeating: 0x61, count: (1 << 16) + 1)))
        #expect(page.readFrame()?.payload == Array("too large".utf8))
        #expect(page.closing() == 1009)
        #expect(read(1, from: end).isEmpty)
    }
}
