// Tests of boards over TCP: their addresses and connections, and the ends of connections.

import Foundation
import TestSupport
import Testing

@testable import SerialPorts

@Suite struct NetworkPortTests {
    @Test(
        arguments: [
            ("tcp://studio:7000", "studio", 7000), ("tcp://192.168.1.2:1", "192.168.1.2", 1),
            ("tcp://[::1]:65535", "::1", 65535), ("tcp://a-b.local:7000", "a-b.local", 7000),
        ])
    func anAddressIsAHostAndAPort(path: String, host: String, port: Int) throws {
        let address = try NetworkAddress(path)
        #expect(address.host == host && address.port == UInt16(port) && address.path == path)
    }

    @Test(
        arguments: [
            "tcp://", "tcp://studio", "tcp://studio:", "tcp://:7000", "tcp://studio:0",
            "tcp://studio:65536", "tcp://studio:-1", "tcp://studio:7000/", "tcp://::1:7000",
            "tcp://[::1]", "tcp://[studio:7000", "tcp://me@studio:7000", "tcp://a b:7000",
            "tcp://[studio]:7000x", "TCP://studio:7000", "udp://studio:7000", "/dev/ttyACM0",
            "tcp://stu/dio:7000", "tcp://[]:7000",
        ])
    func whatIsNoAddressIsRefused(path: String) {
        #expect(throws: TransportError.network(path: path, .malformed)) {
            try NetworkAddress(path)
        }
    }

    @Test func anUnknownNameIsReported() {
        let path = "tcp://nobody.invalid:7000"
        #expect(throws: TransportError.network(path: path, .unknownHost)) { try openPort(path) }
    }

    @Test func aPortAtWhichNothingListensIsReported() throws {
        let (descriptor, path) = try NetworkAddress.listen(at: "0")
        close(descriptor)
        #expect(throws: TransportError.network(path: path, .refused)) { try openPort(path) }
    }

    /// Returns a connection to a program that the closure implements.
    private func connection() throws -> (near: NetworkPort, far: Int32) {
        let (listener, path) = try NetworkAddress.listen(at: "localhost:0")
        defer { close(listener) }
        let near = try NetworkPort(path: path)
        _ = fcntl(listener, F_SETFL, 0)
        return (near, accept(listener, nil, nil))
    }

    @Test func bytesPassUnchangedInBothDirections() throws {
        let (near, far) = try connection()
        defer { close(far) }
        let bytes = (0...255).map(UInt8.init)
        #expect(try near.write(bytes) == 256)
        var there = [UInt8](repeating: 0, count: 300)
        #expect(read(far, &there, 300) == 256 && Array(there.prefix(256)) == bytes)
        #expect(write(far, bytes, 256) == 256)
        #expect(try near.read(upTo: 100, timeout: .hour) == Array(bytes.prefix(100)))
        #expect(try near.read(upTo: 1_000, timeout: .hour) == Array(bytes.dropFirst(100)))
        #expect(try near.read(upTo: 1, timeout: 1_000) == [])
    }

    @Test func aFarEndThatDoesNotReadTakesOnlyWhatFits() throws {
        let (near, far) = try connection()
        defer { close(far) }
        let portion = [UInt8](repeating: 0, count: 1 << 20)
        var count = 1
        for _ in 0..<1_000 where count > 0 { count = try near.write(portion) }
        #expect(count == 0)
    }

    @Test func aSignalEndsTheWait() throws {
        let (near, far) = try connection()
        defer { close(far) }
        let eventSignal = try EventSignal()
        near.eventSignal = eventSignal
        eventSignal.signal()
        #expect(try near.read(upTo: 1, timeout: .hour) == [])
    }

    @Test func aFarEndThatClosesIsReported() throws {
        let (near, far) = try connection()
        #expect(write(far, [1, 2] as [UInt8], 2) == 2)
        close(far)
        #expect(try near.read(upTo: 9, timeout: .hour) == [1, 2])
        let closed = TransportError.network(path: near.path, .closed)
        #expect(throws: closed) { try near.read(upTo: 9, timeout: .hour) }
        near.close()
        #expect(throws: closed) { try near.write([1]) }
    }
}
