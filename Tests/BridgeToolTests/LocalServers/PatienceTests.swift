// Tests of the time limit for the authorization of a client, with an event loop whose time the test
// controls.

import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import LocalServers

@Suite struct PatienceTests {
    private let visits = Visits()
    private let keys = PageKeys(port: 80)

    private static let patience = TimeAmount.milliseconds(300)
    private static let step = TimeAmount.milliseconds(20)

    /// Returns a connection that the server has accepted, before the client has sent any bytes.
    private func connection() throws -> EmbeddedChannel {
        var limits = PageLimits()
        limits.patience = Self.patience
        let connections = AcceptedConnections(
            files: ["index.html": Array(PageRig.page.utf8)], limits: limits, events: visits.events)
        connections.open(PageGate(port: 80, keys: keys, fileNames: ["index.html"]))
        let channel = EmbeddedChannel()
        try connections.admit(channel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return channel
    }

    private func receive(_ text: String, on channel: EmbeddedChannel) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        channel.embeddedEventLoop.run()
    }

    private var head: String {
        "Host: 127.0.0.1:80\r\nCookie: \(keys.cookieName)=\(keys.cookie)\r\n"
    }

    @Test func aClientThatSendsItsRequestByteByByteIsCutOff() throws {
        let channel = try connection()
        try receive("GET / HTTP/1.1\r\n\(head)X-Slow: ", on: channel)
        for _ in 0..<14 {
            channel.embeddedEventLoop.advanceTime(by: Self.step)
            try receive("a", on: channel)
        }
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(19))
        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil, "no response was sent")
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func aRequestThatIsAnsweredGivesTimeForTheNextOne() throws {
        let channel = try connection()
        for _ in 0..<3 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(299))
            try receive("GET / HTTP/1.1\r\n\(head)\r\n", on: channel)
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: Self.patience)
        #expect(!channel.isActive)
    }

    @Test func aWebSocketMayBeSilentForLongerThanAClientMayTakeToBeAdmitted() throws {
        let channel = try connection()
        try receive(
            "GET /live?key=\(keys.key) HTTP/1.1\r\n\(head)Upgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                + "Origin: http://127.0.0.1:80\r\n\r\n", on: channel)
        #expect(visits.soFar.opened.count == 1)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(bytes: frame(0x81, "still here")))
        channel.embeddedEventLoop.run()
        #expect(visits.soFar.messages == ["still here"])
    }
}
