// bridge studio: what strangers try at its port, and what a page must not do.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct StudioAttackTests {
    private func request(_ rig: StudioRig, _ target: String, _ headers: String...) -> String {
        let connection = RawConnection(port: rig.page.port)
        connection?.send(
            (["GET \(target) HTTP/1.1"] + headers + ["Connection: close"])
                .joined(separator: "\r\n") + "\r\n\r\n")
        return String(decoding: connection?.readToEnd() ?? [], as: UTF8.self)
    }

    private func status(_ answer: String) -> String {
        answer.split(separator: " ").dropFirst().first.map(String.init) ?? "none"
    }

    @Test func aForgedHostAForeignPageAndAStrangerAreRefused() throws {
        let rig = try StudioRig(StudioTests.held)
        let (port, cookie) = (rig.page.port, rig.page.cookie)
        let host = "Host: 127.0.0.1:\(port)"
        #expect(status(request(rig, "/", host, cookie)) == "200")
        #expect(status(request(rig, "/", "Host: evil.example:\(port)", cookie)) == "403")
        #expect(status(request(rig, "/", host, cookie, "Origin: http://evil.example")) == "403")
        #expect(status(request(rig, "/", host)) == "403")
        #expect(status(request(rig, "/?token=0123456789abcdef0123456789abcdef", host)) == "403")
        // The token of the printed address has been used.
        let query = URL(string: rig.url)?.query ?? ""
        #expect(status(request(rig, "/?\(query)", host)) == "403")
        for origin in ["http://evil.example", "null", "http://127.0.0.1:\(port + 1)"] {
            let (_, status) = try PageClient.upgrade(port, origin: origin, cookie: cookie)
            #expect(status == 403, "\(origin)")
        }
        let (_, status) = try PageClient.upgrade(port, cookie: "Cookie: haptic-bridge-\(port)=0")
        #expect(status == 403)
    }

    @Test func aPathOutOfThePageIsNoFile() throws {
        let rig = try StudioRig(StudioTests.held)
        let host = "Host: 127.0.0.1:\(rig.page.port)"
        for target in ["/../a.ahap", "/a.ahap", "/%2e%2e/etc/passwd", "//etc/passwd"] {
            #expect(status(request(rig, target, host, rig.page.cookie)) == "404", "\(target)")
        }
    }

    @Test func noMessageLeadsOutOfTheFolder() throws {
        let rig = try StudioRig(StudioTests.held)
        let secret = Folder()
        let outside = try secret.write("outside.ahap", StudioTests.held)
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder.path("link.ahap"), withDestinationPath: outside)
        let names = [
            "../outside.ahap", outside, "link.ahap", "..", "", ".hidden.ahap", "a.txt",
            "sub/a.ahap",
            "a.ahap\\u0000.txt", "C:\\\\a.ahap", "/etc/passwd",
        ]
        for name in names {
            for type in ["open", "saveAs", "new", "delete"] {
                rig.page.send(#"{"type":"\#(type)","file":"\#(name)"}"#)
                let answer = rig.page.next("error")
                #expect(answer != nil, "\(type) \(name)")
            }
        }
        rig.page.send(#"{"type":"rename","file":"a.ahap","to":"../b.ahap"}"#)
        #expect(rig.page.next("error") != nil && rig.text == StudioTests.held)
        #expect(secret.text("outside.ahap") == StudioTests.held)
        let files = rig.page
        files.send(#"{"type":"new","file":"n.ahap"}"#)
        files.send(#"{"type":"save"}"#)
        #expect(files.next("files")?["files"] as? [String] == ["a.ahap", "n.ahap"])
    }

    @Test(arguments: ["{", "[]", "\u{0}", #"{"type":"edit","revision":"0","edits":{}}"#])
    func aMessageThatIsNoneIsAnsweredAndHarmsNothing(_ text: String) throws {
        let rig = try StudioRig(StudioTests.held)
        rig.page.send(text)
        #expect(rig.page.next("error") != nil)
        rig.page.send(#"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == StudioTests.held)
    }

    @Test func aHugeFrameEndsItsConnectionOnly() throws {
        let rig = try StudioRig(StudioTests.held)
        let cookie = rig.page.cookie
        let (other, status) = try PageClient.upgrade(rig.page.port, cookie: cookie)
        #expect(status == 101)
        // The head of a frame of 2^62 bytes.
        other.send([0x81, 0xFF, 0x40] + [UInt8](repeating: 0, count: 7) + [1, 2, 3, 4])
        #expect(other.readToEnd() != nil)
        rig.page.send(#"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
    }

    @Test func anEditOfAnotherVersionIsNotMade() throws {
        let rig = try StudioRig(StudioTests.held)
        _ = rig.page.next("document")
        rig.edit(5, StudioTests.intensity, "0.9")
        let answer = try #require(rig.page.next("document"))
        #expect(answer["revision"] as? Int == 0 && answer["document"] is [String: Any])
    }
}
