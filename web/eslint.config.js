import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["src/api/schema.ts", "public"] },
  js.configs.recommended,
  ts.configs.strict,
  {
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-console": "error",
      // They unescape an address once too often: `model/params.ts` reads it as it is.
      "no-restricted-imports": ["error", { name: "wouter", importNames: ["useSearch", "useSearchParams"] }],
    },
  },
  { files: ["src/model/params.ts"], rules: { "no-restricted-imports": "off" } },
);
