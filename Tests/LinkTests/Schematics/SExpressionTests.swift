import Testing

@Suite("Parsing S-expressions") struct SExpressionTests {
    @Test func readsListsAtomsAndStrings() throws {
        #expect(
            try SExpression("(net (code 1) (name \"a \\\"b\\\" \\\\ c\")\n  ())")
                == .list([
                    .atom("net"), .list([.atom("code"), .atom("1")]),
                    .list([.atom("name"), .atom("a \"b\" \\ c")]), .list([]),
                ]))
    }

    @Test func findsListsByTheirKeyword() throws {
        let expression = try SExpression("(a (b 1) (c 2) (b 3))")
        #expect(expression.value("c") == "2")
        #expect(expression.lists("b").count == 2)
        #expect(expression.value("d") == nil)
    }

    @Test(arguments: ["", "(", "(a", "(a \"b)", ")"])
    func refusesWhatIsNotOne(text: String) {
        #expect(throws: SExpression.Fault.self) { try SExpression(text) }
    }
}
