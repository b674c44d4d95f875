import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { BASE } from "./api/base";
import { makeQueryClient } from "./api/client";
import { App } from "./App";
import "./ui/tokens.css";
import "./ui/base.css";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={makeQueryClient()}>
        <Router base={BASE.replace(/\/$/, "")}>
          <App />
        </Router>
      </QueryClientProvider>
    </StrictMode>,
  );
}
