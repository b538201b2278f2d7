// Tests with the public JSON conformance suite, which is in the folder of shared files.

import JSONText
import TestSupport
import Testing

@Suite(.enabled(if: !SharedFiles.json.isEmpty, "the folder shared/json is missing"))
struct JSONSuiteTests {
    @Test(arguments: SharedFiles.json.filter { $0.hasPrefix("y_") })
    func acceptsInStrictMode(_ name: String) throws {
        _ = try JSONReader.read(try SharedFiles.bytes(name, in: "json"), mode: .strict)
    }

    @Test(arguments: SharedFiles.json.filter { $0.hasPrefix("n_") })
    func refusesInStrictMode(_ name: String) throws {
        let bytes = try SharedFiles.bytes(name, in: "json")
        let error = #expect(throws: JSONError.self) {
            _ = try JSONReader.read(bytes, mode: .strict)
        }
        #expect((error?.location.line ?? 0) > 0)
    }

    @Test(arguments: SharedFiles.json)
    func survivesInEitherMode(_ name: String) throws {
        let bytes = try SharedFiles.bytes(name, in: "json")
        for mode in [JSONReader.Mode.strict, .lenient] {
            _ = try? JSONReader.read(bytes, mode: mode)
        }
    }

    @Test(arguments: SharedFiles.json.filter { $0.hasPrefix("y_") })
    func writesWhatItRead(_ name: String) throws {
        let value = try JSONReader.read(try SharedFiles.bytes(name, in: "json")).value
        for layout in [JSONWriter.Layout.compact, .indented] {
            let text = JSONWriter.text(of: value, layout: layout)
            #expect(try JSONReader.read(bytes(text), mode: .strict).value == value)
        }
    }

    @Test func hasTheWholeSuite() {
        #expect(SharedFiles.json.filter { $0.hasPrefix("y_") }.count == 95)
        #expect(SharedFiles.json.filter { $0.hasPrefix("n_") }.count >= 180)
    }
}
